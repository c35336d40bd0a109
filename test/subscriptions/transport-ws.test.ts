// The protocol graphql-transport-ws: its close codes, and its messages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { openSocket, startGuarded, type TestSocket } from './clients.ts'

const protocol = 'graphql-transport-ws'
const query = '{ book(where: {id: {_eq: 1}}) { title } }'
const data = { book: [{ title: 'Dawn' }] }
const init = { type: 'connection_init' }
const subscribe = (id: string, text = query) => ({ type: 'subscribe', id, payload: { query: text } })

test('a query and a subscription run over one socket', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openSocket(t, trellis.url, { protocol })
  assert.equal(socket.socket.protocol, protocol)
  socket.send(init)
  assert.deepEqual(await socket.next(), { type: 'connection_ack' })
  socket.send(subscribe('1'))
  assert.deepEqual(await socket.next(), { type: 'next', id: '1', payload: { data } })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  socket.send(subscribe('2', `subscription ${query}`))
  assert.deepEqual(await socket.next(), { type: 'next', id: '2', payload: { data } })
  socket.send({ type: 'complete', id: '2' })
  socket.send({ type: 'ping', payload: { at: 1 } })
  assert.deepEqual(await socket.next(), { type: 'pong', payload: { at: 1 } })
  socket.send(subscribe('3', '{ nothing }'))
  const { type, payload } = (await socket.next()) as { type: string; payload: { message: string }[] }
  assert.deepEqual([type, payload[0]!.message], ['error', `field "nothing" not found in type: 'query_root'`])
  await socket.messages.until((messages) => messages.some((message) => message.type === 'ping'))
  const ping = socket.messages.items.find((message) => message.type === 'ping')
  assert.deepEqual(ping, { type: 'ping', payload: { message: 'keepalive' } })
})

interface Misuse {
  readonly say: (socket: TestSocket) => void
  readonly code: number
  readonly message: string
}

const misuses: Record<string, Misuse> = {
  'no JSON': { say: ({ send }) => send('{'), code: 4400, message: '4400: Parsing client message failed: ' },
  'an unknown type': {
    say: ({ send }) => send({ type: 'hello' }),
    code: 4400,
    message: `4400: Parsing client message failed: Invalid message 'type' property "hello"`,
  },
  'a pong with something after it': {
    say: ({ send }) => send('{"type":"pong"}}'),
    code: 4400,
    message: '4400: Parsing client message failed: ',
  },
  'a message of the server': {
    say: ({ send }) => send({ type: 'connection_ack' }),
    code: 4400,
    message: '4400: Unexpected message of type connection_ack received',
  },
  'subscribing before being let in': {
    say: ({ send }) => send(subscribe('1')),
    code: 4401,
    message: '4401: Unauthorized',
  },
  'saying twice who one is': {
    say({ send }) {
      send(init)
      send(init)
    },
    code: 4429,
    message: '4429: Too many requests',
  },
  'an id twice': {
    say({ send }) {
      send(init)
      send(subscribe('1', `subscription ${query}`))
      send(subscribe('1', `subscription ${query}`))
    },
    code: 4409,
    message: '4409: Subscriber for 1 already exists',
  },
  'saying nothing': { say: () => {}, code: 4408, message: '4408: Connection initialisation timeout' },
}

test('a protocol violation closes the socket with its code', async (t) => {
  const trellis = await startLibrary(t)
  const checks = Object.entries(misuses).map(async ([what, { say, code, message }]) => {
    const socket = await openSocket(t, trellis.url, { protocol })
    say(socket)
    const closed = await socket.closed
    assert.equal(closed.code, code, what)
    const { server_error_msg: said } = JSON.parse(closed.reason) as { server_error_msg: string }
    assert.ok(said.startsWith(message), `${what}: ${said}`)
  })
  await Promise.all(checks)
})

test('a client that fails to authenticate is disconnected with 4403', async (t) => {
  const trellis = await startGuarded(t)
  const socket = await openSocket(t, trellis.url, { protocol })
  socket.send({ ...init, payload: { headers: { 'x-service-admin-secret': 'wrong' } } })
  assert.deepEqual(await socket.closed, { code: 4403, reason: '{"server_error_msg":"4403: Forbidden"}' })
})

test('an error is the last message of an operation', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openSocket(t, trellis.url, { protocol })
  socket.send(init)
  await socket.next()
  for (const text of [
    '{ nothing }',
    'subscription { nothing }',
    'subscription { book(where: {id: {_eq: "x"}}) { id } }',
    '{',
  ]) {
    socket.send(subscribe('1', text))
    assert.equal((await socket.next()).type, 'error', text)
  }
  socket.send({ type: 'subscribe', id: '2', payload: { query } })
  assert.deepEqual(await socket.next(), { type: 'next', id: '2', payload: { data } })
})

test('pings are sent each interval, in turn among many clients, and any reply is accepted', async (t) => {
  const trellis = await startLibrary(t, { settings: { websocketKeepalive: 1 } })
  const pongs = ['{"type":"pong"}', '{"type":"pong","payload":{"message":"keepalive"}}', '{"type":"pong","payload":{}}']
  const open = async () => {
    const socket = await openSocket(t, trellis.url, { protocol })
    for (const pong of pongs) socket.send(pong)
    socket.send(init)
    await socket.next()
    return socket
  }
  const pingsOf = ({ messages }: TestSocket) => messages.items.filter(({ type }) => type === 'ping').length
  const first = await open()
  await first.messages.until(() => pingsOf(first) >= 2)
  const many = await Promise.all(Array.from({ length: 300 }, open))
  const all = [first, ...many]
  const before = all.map(pingsOf)
  const since = () => all.map((socket, i) => pingsOf(socket) - before[i]!)
  await first.messages.until(() => since()[0]! >= 2, 30_000)
  // One in three intervals each.
  assert.ok(Math.max(...since()) <= 3, `pings while the first one got two: ${since()}`)
  await Promise.all(many.map((socket) => socket.messages.until(() => pingsOf(socket) > 0)))
  assert.equal(first.socket.readyState, 1)
})
