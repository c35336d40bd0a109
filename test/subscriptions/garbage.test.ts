// Bytes that are not a frame, a message or JSON, on both protocols: the code is the documented one, and other clients
// are served.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { inSeconds, macKey, sign } from '../auth/tokens.ts'
import { startLibrary } from '../support/library.ts'
import { graphqlSseClient, graphqlWsClient, openSocket, startGuarded, subscribeWith } from './clients.ts'

const books = 'subscription { book(order_by: {id: asc}) { title } }'

/** A frame as a client sends it, with a mask of zeros unless it is to have none. */
function frame(opcode: number, payload: Buffer | string, isMasked = true): Buffer {
  const bytes = Buffer.from(payload)
  const head = [0x80 | opcode, (isMasked ? 0x80 : 0) | bytes.length, ...(isMasked ? [0, 0, 0, 0] : [])]
  return Buffer.concat([Buffer.from(head), bytes])
}

const brokenFrames: Record<string, readonly [code: number, bytes: Buffer]> = {
  noise: [1002, Buffer.alloc(1000, 0xff)],
  'a kind of frame that there is not': [1002, frame(3, 'x')],
  'a frame without a mask': [1002, frame(1, '{}', false)],
  'a continuation of nothing': [1002, frame(0, '{}')],
  'a text that is no UTF-8': [1007, frame(1, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  'a close code that nobody may send': [1002, frame(8, Buffer.from([0, 1]))],
}

/** Messages that the older protocol answers, and the newer one ends with 4400. */
const brokenMessages: Record<string, Buffer> = {
  'half a JSON': frame(1, '{"type":"connection_in'),
  'binary noise': frame(2, randomBytes(100)),
  nothing: frame(1, ''),
  'a list': frame(1, '[{"type":"connection_init"}]'),
  'a type that is a number': frame(1, '{"type":7}'),
  'a null': frame(2, 'null'),
}

test('an invalid message closes the socket with the right code, and other clients are served', async (t) => {
  const trellis = await startLibrary(t)
  const beside = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await beside.atLeast(1)
  const say = async (protocol: string, bytes: Buffer) => {
    const socket = await openSocket(t, trellis.url, { protocol })
    ;(socket.socket as unknown as { _socket: Socket })._socket.write(bytes)
    return socket
  }
  for (const protocol of ['graphql-ws', 'graphql-transport-ws']) {
    for (const [what, [code, bytes]] of Object.entries(brokenFrames)) {
      assert.equal((await (await say(protocol, bytes)).closed).code, code, `${what}: ${protocol}`)
    }
  }
  for (const [what, bytes] of Object.entries(brokenMessages)) {
    assert.equal((await (await say('graphql-transport-ws', bytes)).closed).code, 4400, what)
    const { next, send } = await say('graphql-ws', bytes)
    const { type, payload } = await next()
    assert.equal(type, 'connection_error', what)
    assert.match(String(payload), /^parsing ClientMessage failed: /, what)
    send({ type: 'connection_init' })
    assert.equal((await next()).type, 'connection_ack', what)
  }
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const socket = await openSocket(t, trellis.url)
  socket.send(nested)
  assert.equal((await socket.next()).type, 'connection_error')
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await beside.atLeast(2)
})

test('the end of a session ends its own subscriptions on each transport, and no others', async (t) => {
  const admin = { 'x-service-admin-secret': 'secret' }
  const trellis = await startGuarded(t, { jwtSecret: JSON.stringify({ type: 'HS256', key: macKey }) })
  const permission = { columns: ['id', 'title'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'reader', permission }, { headers: admin })
  const claims = { 'x-service-allowed-roles': ['reader'], 'x-service-default-role': 'reader' }
  const bearer = async (seconds: number) => ({
    authorization: `Bearer ${await sign({ exp: inSeconds(seconds), 'https://hasura.io/jwt/claims': claims })}`,
  })
  const [short, long] = [await bearer(3), await bearer(60)]
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  const overSocket = (headers: object, on = {}) =>
    subscribeWith(graphqlWsClient(t, trellis.url, { connectionParams: { headers }, retryAttempts: 0, on }), books)
  const all = [
    overSocket(short, { closed: closed.resolve }),
    subscribeWith(graphqlSseClient(t, trellis.url, { headers: short }), books),
    subscribeWith(graphqlSseClient(t, trellis.url, { headers: short, singleConnection: true }), books),
  ]
  const lasting = [overSocket(long), subscribeWith(graphqlSseClient(t, trellis.url, { headers: long }), books)]
  await Promise.all([...all, ...lasting].map((each) => each.atLeast(1)))
  const { code, reason } = await closed.promise
  assert.deepEqual([code, reason], [3000, 'the session has expired'])
  await Promise.all(all.map((each) => each.atLeast(2)))
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await Promise.all(lasting.map((each) => each.atLeast(2)))
  for (const { items } of all) {
    assert.equal(items.length, 2)
    assert.doesNotMatch(JSON.stringify(items), /Dusk/)
  }
})
