// Subscriptions of an engine inside another Fastify, beside the WebSockets of the application.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance } from 'fastify'
import { WebSocket, WebSocketServer } from 'ws'
import { createEngine, silentObserver, trellis } from '../../sdk/engine.ts'
import {
  graphqlSseClient,
  graphqlWsClient,
  openApollo,
  openSocket,
  refusedUpgrade,
  subscribeWith,
} from '../subscriptions/clients.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'

const sql = `create table harbour (id int primary key, name text); insert into harbour values (1, 'Oslo')`
const query = 'subscription { harbour { name } }'
const named = (name: string) => ({ data: { harbour: [{ name }] } })

/** An engine that serves the table. */
async function startEngine(t: TestContext, settings: object = {}) {
  const database = await testDatabase(t, { sql })
  const engine = await createEngine({ settings: { databaseUrl: database.url, ...settings }, observe: silentObserver })
  atEnd(t, () => engine.close())
  const track = { type: 'track_table', args: 'harbour' }
  const { statusCode } = await engine.app.inject({ method: 'POST', url: '/v1/query', payload: track })
  assert.equal(statusCode, 200)
  return { engine, ...database }
}

async function listening(t: TestContext, app: FastifyInstance): Promise<string> {
  atEnd(t, () => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** The first message of the application's own WebSocket. */
async function greetingOf(t: TestContext, url: string): Promise<string> {
  const socket = new WebSocket(url.replace('http', 'ws'))
  atEnd(t, () => socket.terminate())
  const [greeting] = await once(socket, 'message')
  return String(greeting)
}

test('subscriptions run below the prefix, over WebSockets of both protocols and as events', async (t) => {
  const { engine, sql } = await startEngine(t)
  const app = Fastify()
  const seen: string[] = []
  app.addHook('onRequest', async ({ url, headers }) => {
    seen.push(url)
    if (headers['x-guest'] !== undefined) throw Object.assign(new Error('not you'), { statusCode: 401 })
  })
  app.post('/echo', ({ body }) => body)
  await app.register(trellis, { prefix: '/api/:tenant', engine })
  const url = await listening(t, app)
  const below = `${url}/api/a`
  const [modern, older] = [graphqlWsClient(t, below), await openApollo(t, below)]
  const received = [
    subscribeWith(modern, query),
    ...[false, true].map((singleConnection) => subscribeWith(graphqlSseClient(t, below, { singleConnection }), query)),
  ]
  older.send({ type: 'start', id: '1', payload: { query } })
  for (const one of received) assert.deepEqual(await one.atLeast(1), [named('Oslo')])
  assert.deepEqual(await older.next(), { type: 'data', id: '1', payload: named('Oslo') })
  await sql(`update harbour set name = 'Bergen'`)
  for (const one of received) assert.deepEqual(await one.atLeast(2), [named('Oslo'), named('Bergen')])
  assert.deepEqual(await older.next(), { type: 'data', id: '1', payload: named('Bergen') })

  // The application's hooks apply to upgrades too. Requests that are not the engine's are answered as without it.
  assert.ok(seen.includes('/api/a/v1/graphql'))
  const guest = await refusedUpgrade(below, { headers: { 'x-guest': 'yes' } })
  assert.deepEqual([guest.status, JSON.parse(guest.body).message], [401, 'not you'])
  assert.equal((await refusedUpgrade(below, { path: '/elsewhere' })).status, 404)
  const outside = await refusedUpgrade(url)
  assert.deepEqual([outside.status, JSON.parse(outside.body).message], [404, 'Route GET:/v1/graphql not found'])
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  atEnd(t, () => socket.destroy())
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__'
  socket.write(`POST /echo HTTP/1.1\r\nHost: ${hostname}\r\n${offer}\r\nContent-Type: text/plain\r\n`)
  socket.write('Content-Length: 5\r\n\r\nhello')
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 OK\r\n.*hello$/s)

  // Sockets and streams of a running engine do not keep an application from closing.
  modern.dispose()
  await Promise.all([app.close(), older.closed])
})

test('beside WebSockets of the application, and without a prefix', async (t) => {
  const { engine } = await startEngine(t)
  const app = Fastify()
  const greeter = new WebSocketServer({ noServer: true })
  greeter.on('connection', (socket) => socket.send('mine'))
  app.server.on('upgrade', (request, socket, head) => {
    if (request.url === '/greet') greeter.handleUpgrade(request, socket, head, (one) => greeter.emit('connection', one))
  })
  await app.register(trellis, { engine })
  const url = await listening(t, app)
  assert.equal(await greetingOf(t, `${url}/greet`), 'mine')
  assert.deepEqual(await subscribeWith(graphqlWsClient(t, url), query).atLeast(1), [named('Oslo')])
})

test('beside @fastify/websocket, whichever is registered first; the engine closes with the application', async (t) => {
  for (const isFirst of [true, false]) {
    const { engine, url: databaseUrl } = await startEngine(t)
    await engine.close()
    const app = Fastify()
    app.addHook('onRequest', async () => {})
    const mount = () => app.register(trellis, { prefix: '/api', settings: { databaseUrl }, observe: silentObserver })
    if (isFirst) await mount()
    await app.register(websocket)
    app.register(async (scope) => scope.get('/greet', { websocket: true }, (socket) => socket.send('mine')))
    if (!isFirst) await mount()
    const url = await listening(t, app)
    assert.equal(await greetingOf(t, `${url}/greet`), 'mine')
    const socket = await openSocket(t, `${url}/api`, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init' })
    socket.send({ type: 'subscribe', id: '1', payload: { query } })
    assert.deepEqual(await socket.next(), { type: 'connection_ack' })
    assert.deepEqual(await socket.next(), { type: 'next', id: '1', payload: named('Oslo') })
    await app.close()
    assert.deepEqual(await socket.closed, { code: 1012, reason: 'shutting server down' })
  }
})

test('pages of other origins are judged as at a port of its own', async (t) => {
  const { engine } = await startEngine(t)
  const app = Fastify()
  await app.register(trellis, { prefix: '/api', engine })
  const url = await listening(t, app)
  const { status, body } = await refusedUpgrade(`${url}/api`, { headers: { origin: 'https://evil.example' } })
  assert.deepEqual([status, JSON.parse(body).code], [403, 'access-denied'])
})
