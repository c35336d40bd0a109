// The id of a request reaches other servers, also when the server made it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { openSocket } from '../subscriptions/clients.ts'
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

test('each operation of a websocket forwards an id of its own, or that of the first message', async (t) => {
  const greet = await startOther(t, () => ({ body: '"hello"' }))
  const { op, url } = await startTrellis(t)
  const called = { type: 'query', output_type: 'String!', handler: greet.url, forward_client_headers: true }
  await op('create_action', { name: 'greet', definition: { kind: 'synchronous', ...called } })
  const ask = async (headers?: object) => {
    const socket = await openSocket(t, url, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init', payload: { headers } })
    await socket.next()
    for (const id of ['1', '2']) {
      socket.send({ type: 'subscribe', id, payload: { query: '{ greet }' } })
      await socket.messages.until((all) => all.some((message) => message.id === id && message.type === 'complete'))
    }
    return greet.received.splice(0).map((call) => String(call.headers['x-request-id']))
  }
  const [one = '', two = ''] = await ask()
  for (const id of [one, two]) assert.match(id, uuid)
  assert.notEqual(one, two)
  assert.deepEqual(await ask({ 'x-request-id': ' mine\n' }), ['mine', 'mine'])
})
