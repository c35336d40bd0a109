// Clients that break the protocol: messages at the wrong time, and messages that are never read. They cost other
// clients nothing, and leave nothing behind.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../sdk/index.ts'
import { atEnd } from '../support/cleanup.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis, TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, openApollo, openSocket, subscribeWith, type TestSocket } from './clients.ts'

const books = 'subscription { book(order_by: {id: asc}) { title } }'

interface Measured extends TestTrellis {
  /** One of the measures of subscriptions. */
  measure(name: string): Promise<number>
}

async function startMeasured(t: TestContext, options: TrellisOptions = {}): Promise<Measured> {
  const settings = { enabledApis: ['metadata', 'graphql', 'metrics'], ...options.settings }
  const trellis = await startLibrary(t, { ...options, settings })
  const measure = async (name: string) => {
    const { text } = await trellis.request('/v1/metrics', { role: 'admin' })
    return Number(new RegExp(`^service_${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  return { ...trellis, measure }
}

/** Whether no client is connected and no statement runs for one. */
const isLeft = async ({ measure }: Measured): Promise<boolean> => {
  const left = ['websockets', 'event_streams', 'subscribers', 'subscription_cohorts'].map(measure)
  return (await Promise.all(left)).every((count) => count === 0)
}

const rawOf = ({ socket }: TestSocket): Socket => (socket as unknown as { _socket: Socket })._socket

/** Answers after a while who asks. */
const hesitating = (millis: number, isAsked: () => void = () => {}) =>
  definePlugin({
    name: 'hesitate',
    register: ({ around }) =>
      around({
        async admission(_applicant, run) {
          isAsked()
          await sleep(millis)
          return run()
        },
      }),
  })

test('a client that disconnects before its answer leaves no subscription behind', async (t) => {
  const trellis = await startMeasured(t, { plugins: [hesitating(50)] })
  for (const protocol of ['graphql-ws', 'graphql-transport-ws']) {
    const socket = await openSocket(t, trellis.url, { protocol })
    socket.send({ type: 'connection_init', payload: {} })
    await socket.next()
    const type = protocol === 'graphql-ws' ? 'start' : 'subscribe'
    for (let id = 0; id < 20; id++) socket.send({ type, id: String(id), payload: { query: books } })
    await sleep(75)
    socket.socket.terminate()
  }
  await sleep(500)
  await eventually(() => isLeft(trellis))
})

/** The start times of the running statements for subscriptions with slow answers. */
async function slowAtWork({ sql }: TestTrellis): Promise<unknown[]> {
  const rows = await sql(`select query_start::text as began from pg_stat_activity
    where state = 'active' and query like 'select "subscribers"%slow%' and pid <> pg_backend_pid()`)
  return rows.map(({ began }) => began)
}

test('a statement without subscribers is cancelled and delays no others', async (t) => {
  const trellis = await startMeasured(t)
  await trellis.sql('create view slow as select 1 as id from pg_sleep(600)')
  await trellis.op('track_table', 'slow')
  for (const protocol of ['graphql-ws', 'graphql-transport-ws']) {
    const socket = await openSocket(t, trellis.url, { protocol })
    socket.send({ type: 'connection_init', payload: {} })
    await socket.next()
    const type = protocol === 'graphql-ws' ? 'start' : 'subscribe'
    // More than the concurrent operations of one socket.
    for (let id = 0; id < 6; id++) {
      socket.send({ type, id: String(id), payload: { query: `subscription { slow { a${id}: id } }` } })
    }
    await eventually(async () => (await slowAtWork(trellis)).length === 2)
    socket.socket.terminate()
    await eventually(async () => (await slowAtWork(trellis)).length === 0)
    const client = graphqlWsClient(t, trellis.url)
    await subscribeWith(client, books).atLeast(1)
    await client.dispose()
  }
  await eventually(() => isLeft(trellis))
})

test('a statement for replanned subscriptions is cancelled', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql('create view slow as select 1 as id from pg_sleep(600)')
  await trellis.op('track_table', 'slow')
  subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { slow { id } }')
  const [before] = await eventually(async () => (await slowAtWork(trellis)).length === 1 && slowAtWork(trellis))
  await trellis.op('untrack_table', { table: 'book', cascade: true })
  await eventually(async () => !(await slowAtWork(trellis)).includes(before))
})

test('a client that disconnects before its event stream opens leaves none behind', async (t) => {
  const trellis = await startMeasured(t, { plugins: [hesitating(300)] })
  const body = JSON.stringify({ query: books })
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  for (let i = 0; i < 3; i++) {
    const signal = AbortSignal.timeout(50)
    await assert.rejects(fetch(`${trellis.url}/v1/graphql`, { method: 'POST', headers, body, signal }))
  }
  await sleep(500)
  await eventually(() => isLeft(trellis))
})

test('a stream of events that is opened while the server stops is ended like the others', async (t) => {
  const settings = { gracefulShutdownTimeout: 20 }
  let asked = 0
  const trellis = await startLibrary(t, { plugins: [hesitating(500, () => asked++)], settings })
  const before = asked
  const answer = fetch(`${trellis.url}/v1/graphql?query=${encodeURIComponent(books)}`, {
    headers: { accept: 'text/event-stream' },
  })
  await eventually(() => asked > before)
  const started = Date.now()
  const closed = trellis.engine.close()
  assert.match(await (await answer).text(), /retry: \d+\n\n$/)
  await closed
  assert.ok(Date.now() - started < 15_000, 'it did not wait for the client')
})

test('a subscription that ended with an error stays over after changes of the metadata', async (t) => {
  const trellis = await startMeasured(t)
  const socket = await openApollo(t, trellis.url)
  const query = 'subscription { book(where: {released_on: {_eq: "soon"}}) { id } }'
  socket.send({ type: 'start', id: '1', payload: { query } })
  assert.equal((await socket.next()).type, 'error')
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  assert.equal(await trellis.measure('subscribers'), 0)
  await trellis.op('untrack_table', { table: 'publisher', cascade: true })
  await sleep(1200)
  assert.equal(socket.spoken().length, 3)
})

test('an id may be as long as a message, and delays no other client', async (t) => {
  const trellis = await startLibrary(t)
  const beside = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await beside.atLeast(1)
  const id = 'x'.repeat(1_000_000)
  const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  socket.send({ type: 'connection_init' })
  await socket.next()
  for (let i = 0; i < 2; i++) socket.send({ type: 'subscribe', id, payload: { query: books } })
  const { code, reason } = await socket.closed
  assert.equal(code, 4409)
  assert.match(JSON.parse(reason).server_error_msg, /^4409: Subscriber for x+/)
  const unknown = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  unknown.send({ type: 'é"\n'.repeat(100_000) })
  const refused = await unknown.closed
  assert.equal(refused.code, 4400)
  assert.match(JSON.parse(refused.reason).server_error_msg, /^4400: Parsing client message failed: Invalid message/)
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await beside.atLeast(2)
})

test('messages after the end of a socket are ignored', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  socket.send({ type: 'connection_terminate' })
  const query = 'mutation { delete_book(where: {}) { affected_rows } }'
  socket.send({ type: 'start', id: '1', payload: { query } })
  await socket.closed
  await sleep(200)
  assert.equal((await trellis.sql('select from book')).length, 3)
})

/** A frame of a client, with a mask of zeros. */
function frame(opcode: number, payload: string): Buffer {
  const bytes = Buffer.from(payload)
  const { length } = bytes
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size, 0, 0, 0, 0]), bytes])
}

const floodBytes = 24_000_000
const padding = 'x'.repeat(50_000)

/** Sends a number of bytes in frames, and reads nothing. */
function flood(raw: Socket, of: (index: number) => Buffer): void {
  raw.pause()
  const each = Math.ceil(60_000 / of(0).length)
  for (let sent = 0, i = 0; sent < floodBytes; i += each) {
    const piece = Buffer.concat(Array.from({ length: each }, (_, j) => of(i + j)))
    raw.write(piece)
    sent += piece.length
  }
}

/** A number, once it no longer changes. */
async function settled(read: () => number | Promise<number>): Promise<number> {
  for (let last = await read(); ; ) {
    await sleep(500)
    const next = await read()
    if (next === last) return next
    last = next
  }
}

const query = '{ book { id } }'
const floods = {
  pings: () => frame(1, JSON.stringify({ type: 'ping', payload: { padding } })),
  queries: (id: number) =>
    frame(1, JSON.stringify({ type: 'subscribe', id: String(id), payload: { query, extensions: { padding } } })),
}

/** Bytes of an answer that exceeds the buffers of the network, which grow to some 40 MB. */
const unreadBytes = 64_000_000

test('a client that sends and never reads is paused', async (t) => {
  const trellis = await startMeasured(t)
  await trellis.sql(`create table wide (content text); insert into wide values (repeat('x', ${unreadBytes}))`)
  await trellis.op('track_table', 'wide')
  for (const [what, of] of Object.entries(floods)) {
    const before = await trellis.measure('websocket_received_bytes_total')
    const sent = await trellis.measure('websocket_sent_bytes_total')
    const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init' })
    await socket.next()
    rawOf(socket).pause()
    socket.send({ type: 'subscribe', id: 'wide', payload: { query: '{ wide { content } }' } })
    await eventually(async () => (await trellis.measure('websocket_sent_bytes_total')) > sent + unreadBytes)
    flood(rawOf(socket), of)
    const received = (await settled(() => trellis.measure('websocket_received_bytes_total'))) - before
    assert.ok(received < floodBytes / 2, `${received} bytes of ${what}`)
    socket.socket.terminate()
  }
})

test('pings of WebSockets are answered as long as the client reads', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  const raw = rawOf(socket)
  flood(raw, () => frame(9, 'x'.repeat(100)))
  await eventually(() => raw.writableLength === 0)
  raw.resume()
  socket.send({ type: 'start', id: '1', payload: { query: '{ __typename }' } })
  assert.equal((await socket.next()).type, 'data')
  // Only bytes that were in flight in the network.
  assert.ok(raw.bytesRead > 10_000 && raw.bytesRead < floodBytes / 2, `${raw.bytesRead} bytes`)
})

test('a client that is refused a socket is disconnected, although it keeps its own end open', async (t) => {
  const trellis = await startLibrary(t)
  const { app } = trellis.engine
  const before = await app.countConnections()
  const { hostname, port } = new URL(trellis.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  atEnd(t, () => socket.destroy())
  const key = 'dGhlIHNhbXBsZSBub25jZQ=='
  const head = ['GET /other HTTP/1.1', `Host: ${hostname}:${port}`, 'Connection: Upgrade', 'Upgrade: websocket']
  socket.write([...head, `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13', '', ''].join('\r\n'))
  socket.resume()
  await once(socket, 'end')
  await eventually(async () => (await app.countConnections()) <= before)
})
