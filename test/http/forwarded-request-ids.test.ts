// The id of a request reaches other servers, also when the server made it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startTrellis } from '../support/trellis.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const secret = { 'x-service-admin-secret': 'sesame' }

test('a new id of a request is forwarded to the authentication webhook and to actions', async (t) => {
  const auth = await startOther(t, () => ({ body: { 'X-Service-Role': 'clerk' } }))
  const greet = await startOther(t, () => ({ body: '"hello"' }))
  const silent = await startOther(t, () => ({ body: '"hello"' }))
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame', authHook: auth.url } })
  const { op, request } = trellis
  for (const [name, { url }, forwards] of [
    ['greet', greet, true],
    ['mute', silent, false],
  ] as const) {
    const definition = {
      kind: 'synchronous',
      type: 'query',
      output_type: 'String!',
      handler: url,
      forward_client_headers: forwards,
    }
    await op('create_action', { name, definition }, { headers: secret })
    await op('create_action_permission', { action: name, role: 'clerk' }, { headers: secret })
  }
  const body = { query: '{ greet mute }' }
  const answer = await request('/v1/graphql', { body })
  assert.deepEqual(answer.body, { data: { greet: 'hello', mute: 'hello' } })
  const id = answer.headers.get('x-request-id') ?? ''
  assert.match(id, uuid)
  const seen = () => [auth, greet].map(({ received }) => received.at(-1)!.headers['x-request-id'])
  assert.deepEqual(seen(), [id, id])
  assert.equal(silent.received[0]!.headers['x-request-id'], undefined)
  // One of the client stays as it is.
  await request('/v1/graphql', { body, headers: { 'x-request-id': 'mine' } })
  assert.deepEqual(seen(), ['mine', 'mine'])
})
