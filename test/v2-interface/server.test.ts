// The webhook that authenticates, probes and the log of the start, as version 2 has them.

import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { type OtherServer, startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { openApollo } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

let hook: OtherServer
let trellis: TestTrellis
const observe = recordingObserver()

before(async (t) => {
  hook = await startOther(t as TestContext, () => ({ body: { 'x-service-role': 'admin' } }))
  const settings = { graphqlInterface: '2', adminSecret: 'sesame', authHook: hook.url, authHookMode: 'POST' } as const
  trellis = await startTrellis(t as TestContext, { sql: 'create table note (id bigint)', settings, observe })
  await trellis.op('track_table', 'note')
})

/** The request that the webhook received in its last call. */
const seen = (): unknown => JSON.parse(hook.received.at(-1)!.body).request

test('a POST webhook gets the GraphQL request as it came', async () => {
  const query = 'query all($n: bigint) { note(where: {id: {_eq: $n}}) { id } }'
  await trellis.request('/v1/graphql', { body: { query } })
  assert.deepEqual(seen(), { query })
  const body = `{"operationName":"all","extra":1,"variables":{"n":1234567890123456789},"query":"${query}"}`
  const headers = { 'content-type': 'application/json', 'X-Who': 'me' }
  const answer = await fetch(`${trellis.url}/v1/graphql`, { method: 'POST', headers, body })
  assert.deepEqual(await answer.json(), { data: { note: [] } })
  const { body: sent } = hook.received.at(-1)!
  const request = `{"query":"${query}","variables":{"n":1234567890123456789},"operationName":"all"}`
  assert.ok(sent.endsWith(`,"request":${request}}`), sent)
  assert.equal(JSON.parse(sent).headers['X-Who'], 'me')
  await trellis.request('/v1/graphql', { body: [{ query: '{ a: note { id } }' }, { query: '{ b: note { id } }' }] })
  assert.deepEqual(seen(), [{ query: '{ a: note { id } }' }, { query: '{ b: note { id } }' }])
})

test('the GraphQL request is not sent where that is turned off', async (t) => {
  const settings = { graphqlInterface: '2', adminSecret: 'sesame', authHook: hook.url, authHookMode: 'POST' } as const
  const quiet = { ...settings, authHookSendRequestBody: false }
  const other = await startTrellis(t, { database: trellis.database, settings: quiet })
  await other.request('/v1/graphql', { body: { query: '{ note { id } }' } })
  assert.deepEqual(Object.keys(JSON.parse(hook.received.at(-1)!.body)), ['headers'])
})

test('the webhook is asked without a GraphQL request too', async (t) => {
  const bodies = ['no JSON', '', '[]', '{"query":1}', '[{"query":"{ a }"},1]', '"text"', '\xff']
  for (const body of bodies) {
    const count = hook.received.length
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(`${trellis.url}/v1/graphql`, { method: 'POST', headers, body })
    assert.ok(status < 500, body)
    assert.deepEqual([hook.received.length, seen()], [count + 1, null], body)
  }
  await trellis.request('/v1/graphql', {
    body: { query: '{ note { id } }', variables: { long: 'x'.repeat(1_048_576) } },
  })
  assert.equal(seen(), null)
  await trellis.op('export_metadata', {})
  assert.equal(seen(), null)
  await trellis.request(`/v1/graphql?query=${encodeURIComponent('{ note { id } }')}`)
  assert.equal(seen(), null)
  await openApollo(t, trellis.url)
  assert.equal(seen(), null)
  const count = hook.received.length
  await trellis.request('/v1/graphql', {
    body: { query: '{ note { id } }' },
    headers: { 'x-service-admin-secret': 'sesame' },
  })
  assert.equal(hook.received.length, count)
})

test('a line of the log names the source at the start', () => {
  const lines = observe.entries.filter(({ type }) => type === 'startup').map(({ detail }) => detail)
  assert.deepEqual(
    lines.filter((detail) => JSON.stringify(detail).includes('resolve_source')),
    [{ kind: 'resolve_source', info: { source: 'default', kind: 'postgres' } }],
  )
})

test('administrators see the health of the source, and that there is no licence', async () => {
  const ask = (path: string, secret: string) =>
    trellis.request(path, { method: 'GET', headers: { 'x-service-admin-secret': secret } })
  const health = await ask('/healthz/sources', 'sesame')
  assert.deepEqual([health.status, health.body], [200, { default: { status: 'OK' } }])
  const { status, body } = await ask('/v1/entitlement', 'sesame')
  assert.deepEqual([status, (body as { status: string }).status], [200, 'none'])
  for (const path of ['/healthz/sources', '/v1/entitlement']) assert.equal((await ask(path, 'wrong')).status, 401)
})

test('a strict probe fails while the metadata is inconsistent', async () => {
  const health = async (path: string) => {
    const { status, text } = await trellis.request(path)
    return [status, text]
  }
  assert.deepEqual(await health('/healthz?strict=true'), [200, 'OK'])
  await trellis.sql('drop table note')
  await trellis.op('reload_metadata', {})
  const warning = [200, 'WARN: inconsistent objects in schema']
  for (const path of [
    '/healthz',
    '/trellis/healthz',
    '/healthz?strict=false',
    '/healthz?strict',
    '/healthz?strict=1',
  ]) {
    assert.deepEqual(await health(path), warning, path)
  }
  for (const path of ['/healthz?strict=true', '/trellis/healthz?strict=true']) {
    assert.deepEqual(await health(path), [500, 'ERROR'], path)
  }
})
