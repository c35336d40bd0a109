// All clients of other servers accept compressed responses and a byte order mark.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Auth } from '../../core/auth/auth.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { webhookAuthenticator } from '../../plugins/auth-webhook/authenticator.ts'
import { startShop } from '../actions/shop.ts'
import { type OtherAnswer, startOther } from '../auth/other-server.ts'
import { bearer, jwtAuth, rsaPair, tokenFor } from '../auth/tokens.ts'
import { startShop as startEventShop } from '../event-triggers/shop.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'

const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

/** The response, compressed, with a byte order mark before its text. */
function packed({ body, headers, ...rest }: OtherAnswer, coding: keyof typeof packers = 'gzip'): OtherAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { ...rest, headers: { ...headers, 'content-encoding': coding }, body: packers[coding](`\uFEFF${text}`) }
}

test('the authentication webhook and a key set', async (t) => {
  const hook = await startOther(t, () => packed({ body: { 'x-service-role': 'clerk' } }, 'deflate'))
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  const auth = new Auth(defaultSettings({ adminSecret: 'sesame' }), dialects.trellis)
  const { url } = hook
  auth.use(webhookAuthenticator({ url, method: 'GET', outgoing, observe: silentObserver, dialect: dialects.trellis }))
  assert.equal((await auth.authenticate({})).role, 'clerk')
  const { publicKey, privateKey } = rsaPair()
  const keys = await startOther(t, () => packed({ body: { keys: [publicKey.export({ format: 'jwk' })] } }, 'br'))
  const byToken = await jwtAuth(t, { jwk_url: keys.url })
  assert.equal((await bearer(byToken, await tokenFor({}, { alg: 'RS256', key: privateKey }))).role, 'reader')
})

test('remote schemas: introspection, forwarded responses and parsed ones', async (t) => {
  const crm = await startCrm(t)
  const front = await startOther(t, async ({ body, headers }) => {
    const { 'content-type': type = '' } = headers
    const response = await fetch(crm.url, { method: 'POST', body, headers: { 'content-type': type } })
    return packed({ body: await response.text() })
  })
  const library = await startLibrary(t)
  await library.op('add_remote_schema', { name: 'crm', definition: { url: front.url } })
  assert.deepEqual(await library.graphql('{ user(id: 1) { name } }'), { data: { user: { name: 'user 1' } } })
  assert.deepEqual(await library.graphql('{ user(id: 1) { name } __typename }'), {
    data: { user: { name: 'user 1' }, __typename: 'query_root' },
  })
})

test('actions, including their errors', async (t) => {
  let status = 200
  const body = () => (status === 200 ? { id: 1, book_id: 1 } : { message: 'nö', code: 'no' })
  const shop = await startShop(t, () => packed({ status, body: body() }))
  await shop.action('look', { type: 'query' })
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
  status = 400
  const { errors } = (await shop.graphql('{ look { id } }')) as { errors: { message: string }[] }
  assert.equal(errors[0]?.message, 'nö')
})

test('webhooks of event triggers: responses are stored as text', async (t) => {
  const shop = await startEventShop(t, { answer: () => packed({ status: 500, body: { reason: 'nö' } }) })
  await shop.trigger()
  await shop.sql('insert into orders (id) values (1)')
  const logged = await eventually(async () => {
    const all = await shop.op<{ response: { data: { body: string } } }[]>('pg_get_event_invocation_logs', {
      name: 'order',
    })
    return all.length > 0 && all
  })
  assert.equal(logged[0]?.response.data.body, '{"reason":"nö"}')
})
