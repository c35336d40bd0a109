// Sockets: who may open one, and the reasons for which one is closed.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEntry } from '../../core/log/observe.ts'
import { definePlugin } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { atEnd } from '../support/cleanup.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, openApollo, openSocket, refusedUpgrade, startGuarded, subscribeWith } from './clients.ts'

const books = 'subscription { book(order_by: {id: asc}) { title } }'
const admin = { 'x-service-admin-secret': 'secret' }

test('an upgrade request for an unknown URL gets 404', async (t) => {
  const trellis = await startLibrary(t)
  const { status, body } = await refusedUpgrade(trellis.url, { path: '/v1/other' })
  const message = "only '/v1/graphql', '/v1alpha1/graphql' and '/v1beta1/relay' are supported on websockets"
  assert.deepEqual([status, JSON.parse(body)], [404, { message, extensions: { path: '$', code: 'not-found' } }])
})

test('--ws-read-cookie needs a server that accepts no other origins', async (t) => {
  for (const [dialect, prefix] of [
    ['trellis', 'SERVICE'],
    ['hasura', 'HASURA'],
  ] as const) {
    const message = `${prefix}_GRAPHQL_WS_READ_COOKIE can only be used when CORS is disabled`
    const started = startTrellis(t, { settings: { dialect, wsReadCookie: true } })
    await assert.rejects(started, { name: 'StartError', message })
  }
})

test('a request that offers HTTP/2 is answered over HTTP/1.1', async (t) => {
  const { url } = await startLibrary(t)
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  atEnd(t, () => socket.destroy())
  const body = JSON.stringify({ query: '{ book(where: {id: {_eq: 1}}) { title } }' })
  const head = [
    ...['POST /v1/graphql HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json'],
    ...['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(String(answer), /\{"data":\{"book":\[\{"title":"Dawn"\}\]\}\}$/)
})

test('a closed API accepts no sockets', async (t) => {
  const trellis = await startTrellis(t, { settings: { enabledApis: ['metadata'] } })
  assert.equal((await refusedUpgrade(trellis.url)).status, 404)
})

test('a page of a refused origin gets no socket', async (t) => {
  const listed = await startGuarded(t, { corsDomain: ['https://app.example'] })
  const foreign = { origin: 'https://other.example' }
  const { status, body } = await refusedUpgrade(listed.url, { headers: foreign })
  const message = 'received origin header does not match configured CORS domains'
  assert.deepEqual([status, JSON.parse(body)], [400, { message, extensions: { path: '$', code: 'access-denied' } }])
  const socket = await openApollo(t, listed.url, {
    headers: { origin: 'https://app.example' },
    payload: { headers: admin },
  })
  assert.equal(socket.socket.readyState, 1)
  const open = await startLibrary(t)
  const refused = await refusedUpgrade(open.url, { headers: foreign })
  assert.deepEqual([refused.status, JSON.parse(refused.body).code], [403, 'access-denied'])
})

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const key = 'k'.repeat(32)

/** A token of a role that expires after a number of seconds. */
function token(role: string, seconds: number): string {
  const claims = { 'x-service-allowed-roles': [role], 'x-service-default-role': role }
  const payload = { exp: Math.floor(Date.now() / 1000) + seconds, 'https://hasura.io/jwt/claims': claims }
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(payload)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

async function startWithTokens(t: Parameters<typeof startGuarded>[0], jwt: object = {}, settings: object = {}) {
  const secret = { type: 'HS256', key, ...jwt }
  const trellis = await startGuarded(t, { jwtSecret: JSON.stringify(secret), ...settings })
  const permission = { columns: ['title'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'reader', permission }, { headers: admin })
  return trellis
}

test('a socket ends with its session, unless the client authenticates again', async (t) => {
  const trellis = await startWithTokens(t)
  const bearer = (seconds: number) => ({ headers: { authorization: `Bearer ${token('reader', seconds)}` } })
  const [short, renewed] = await Promise.all([
    openApollo(t, trellis.url, { payload: bearer(6) }),
    openApollo(t, trellis.url, { payload: bearer(6) }),
  ])
  renewed.send({ type: 'connection_init', payload: bearer(600) })
  const { code, reason } = await short.closed
  assert.deepEqual([code, reason], [3000, 'the session has expired'])
  await sleep(300)
  assert.equal(renewed.socket.readyState, 1)
})

test('a socket that is refused for an expired token gets the reason', async (t) => {
  const trellis = await startWithTokens(t)
  const payload = { headers: { authorization: `Bearer ${token('reader', -60)}` } }
  const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  socket.send({ type: 'connection_init', payload })
  assert.deepEqual(await socket.closed, { code: 4403, reason: '{"server_error_msg":"4403: JWTExpired"}' })
  const apollo = await openSocket(t, trellis.url)
  apollo.send({ type: 'connection_init', payload })
  const told = { type: 'connection_error', payload: 'Could not verify JWT: JWTExpired' }
  assert.deepEqual(await apollo.next(), told)
  const forged = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  forged.send({ type: 'connection_init', payload: { headers: { authorization: 'Bearer a.b.c' } } })
  assert.deepEqual(await forged.closed, { code: 4403, reason: '{"server_error_msg":"4403: Forbidden"}' })
})

test('a session may last longer than any date, and its log line has no expiry then', async (t) => {
  const observe = recordingObserver()
  const settings = { adminSecret: 'secret', jwtSecret: JSON.stringify({ type: 'HS256', key }) }
  const trellis = await startTrellis(t, { settings, observe })
  for (const protocol of ['graphql-ws', 'graphql-transport-ws']) {
    observe.entries.length = 0
    const socket = await openSocket(t, trellis.url, { protocol })
    socket.send({ type: 'connection_init', payload: { headers: { authorization: `Bearer ${token('reader', 1e15)}` } } })
    assert.equal((await socket.next()).type, 'connection_ack')
    socket.socket.close()
    await socket.closed
    const isEnd = ({ type, detail }: LogEntry) => type === 'websocket-log' && /"closed"/.test(JSON.stringify(detail))
    const entry = await eventually(() => observe.entries.find(isEnd))
    assert.match(JSON.stringify(entry.detail), /"token_expiry":null.*"x-service-role":"reader"/)
  }
  assert.equal((await trellis.request('/healthz')).status, 200)
})

test('with each protocol, the log has the reason of a failed authentication, and unexpected errors in full', async (t) => {
  const observe = recordingObserver()
  const broken = definePlugin({
    name: 'broken',
    register({ auth }) {
      auth.use({ mode: 'broken', authenticate: () => Promise.reject(new TypeError('broken here')) })
    },
  })
  const trellis = await startTrellis(t, { settings: { adminSecret: 'secret' }, plugins: [broken], observe })
  for (const [protocol, unreadable] of [
    ['graphql-ws', 'parsing ClientMessage failed: '],
    ['graphql-transport-ws', ''],
  ] as const) {
    for (const [headers, reason] of [
      [{ a: 1 }, `${unreadable}expecting the header "a" to be a string`],
      [{ a: 'one\r\nb: two' }, `${unreadable}expecting the header "a" to be a header of HTTP`],
      [{ 'a b': 'one' }, `${unreadable}expecting the header "a b" to be a header of HTTP`],
      [{}, 'internal error'],
    ]) {
      observe.entries.length = 0
      const socket = await openSocket(t, trellis.url, { protocol })
      socket.send({ type: 'connection_init', payload: { headers } })
      const isRefusal = ({ detail }: LogEntry) => /"conn_err"/.test(JSON.stringify(detail))
      const entry = await eventually(() => observe.entries.find(isRefusal))
      assert.deepEqual((entry.detail as { event: object }).event, { type: 'conn_err', detail: reason })
      const stacks = observe.entries.filter(
        ({ type, detail }) => type === 'unstructured' && /broken here/.test(`${detail}`),
      )
      assert.equal(stacks.length, reason === 'internal error' ? 1 : 0)
    }
  }
})

test('cookies count only for pages of the server itself and of listed origins', async (t) => {
  const jwt = { header: { type: 'Cookie', name: 'session' } }
  const trellis = await startWithTokens(t, jwt, { corsDomain: ['*'] })
  const cookie = `session=${token('reader', 60)}`
  const answerTo = async (origin?: string) => {
    const socket = await openSocket(t, trellis.url, { headers: { cookie, ...(origin && { origin }) } })
    socket.send({ type: 'connection_init' })
    return (await socket.next()).type
  }
  assert.deepEqual([await answerTo(), await answerTo(trellis.url)], ['connection_ack', 'connection_ack'])
  const foreign = { cookie, origin: 'https://other.example' }
  const { status, body } = await refusedUpgrade(trellis.url, { headers: foreign })
  assert.deepEqual([status, JSON.parse(body).code], [403, 'access-denied'])
})

test('a message that is too large closes its socket with 1009', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  socket.send(`"${'x'.repeat(2_000_000)}"`)
  assert.equal((await socket.closed).code, 1009)
})

test('long spaces in a header do not hold up the server', async (t) => {
  const trellis = await startGuarded(t)
  const socket = await openSocket(t, trellis.url)
  const padding = `x${' '.repeat(900_000)}x`
  socket.send({ type: 'connection_init', payload: { headers: { ...admin, 'x-padding': padding } } })
  assert.equal((await socket.next()).type, 'connection_error')
})

test('oversized headers are refused, because a socket keeps them in memory', async (t) => {
  const trellis = await startGuarded(t)
  const reason = 'parsing ClientMessage failed: expecting headers of at most 65536 bytes'
  for (const padding of [
    { 'x-padding': 'x'.repeat(65_536) },
    Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-${i}`, ''])),
  ]) {
    const init = { type: 'connection_init', payload: { headers: { ...admin, ...padding } } }
    const older = await openSocket(t, trellis.url)
    older.send(init)
    assert.deepEqual(await older.next(), { type: 'connection_error', payload: reason })
    older.send({ type: 'connection_init', payload: { headers: { ...admin, 'x-padding': 'x'.repeat(65_000) } } })
    assert.deepEqual(await older.next(), { type: 'connection_ack' })
    const newer = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
    newer.send(init)
    assert.equal((await newer.closed).code, 4403)
  }
})

test('a socket runs a limited number of operations', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  const beside = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await beside.atLeast(1)
  for (let i = 0; i < 1500; i++) {
    const query = 'subscription ($id: Int!) { book(where: {id: {_eq: $id}}) { title } }'
    socket.send({ type: 'start', id: String(i), payload: { query, variables: { id: i } } })
  }
  const refused = await socket.messages.until(
    (all) => all.filter(({ type }) => type === 'error').length === 500,
    60_000,
  )
  const { payload } = refused.find(({ type }) => type === 'error') as { payload: { errors: { message: string }[] } }
  assert.equal(payload.errors[0]!.message, 'this connection runs 1000 operations already')
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await beside.atLeast(2)
})

test('request limits apply to each operation of a socket', async (t) => {
  const apiLimits = JSON.stringify({
    depth_limit: { global: 2 },
    rate_limit: { global: { max_reqs_per_min: 4, unique_params: 'IP' } },
  })
  const library = await startLibrary(t)
  const permission = { columns: ['id', 'title', 'publisher_id'], filter: {} }
  await library.op('create_select_permission', { table: 'book', role: 'reader', permission })
  await library.op('create_select_permission', {
    table: 'publisher',
    role: 'reader',
    permission: { columns: ['id'], filter: {} },
  })
  const trellis = await startTrellis(t, { database: library.database, settings: { apiLimits } })
  const socket = await openApollo(t, trellis.url, { payload: { headers: { 'x-service-role': 'reader' } } })
  const codeOf = async (id: string, query: string) => {
    socket.send({ type: 'start', id, payload: { query } })
    const { payload } = (await socket.next()) as { payload: { errors?: { extensions: { code: string } }[] } }
    if (payload.errors) await socket.next()
    return payload.errors?.[0]?.extensions.code ?? 'ok'
  }
  assert.equal(await codeOf('1', 'subscription { book { publisher { books { id } } } }'), 'depth-limit-exceeded')
  for (const id of ['2', '3', '4']) assert.equal(await codeOf(id, 'subscription { book { id } }'), 'ok')
  assert.equal(await codeOf('5', 'subscription { book { id } }'), 'rate-limit-exceeded')
})

test('the allow-list applies to sockets', async (t) => {
  const library = await startLibrary(t)
  const permission = { columns: ['title'], filter: {} }
  await library.op('create_select_permission', { table: 'book', role: 'reader', permission })
  const trellis = await startTrellis(t, { database: library.database, settings: { enableAllowlist: true } })
  const client = graphqlWsClient(t, trellis.url, { connectionParams: { headers: { 'x-service-role': 'reader' } } })
  const received = subscribeWith(client, books)
  const [refused] = (await received.atLeast(1)) as [{ error: { message: string }[] }]
  assert.equal(refused.error[0]!.message, 'query is not allowed')
})

test('a stopping server closes its sockets with a code that makes clients reconnect', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  const newer = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
  const stream = await fetch(`${trellis.url}/v1/graphql`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ query: books }) },
  })
  const [closed, text] = [Promise.all([socket.closed, newer.closed]), stream.text()]
  await trellis.engine.close()
  const end = { code: 1012, reason: 'shutting server down' }
  assert.deepEqual(await closed, [end, end])
  assert.match(await text, /retry: \d+\n\n$/)
})

test('a client that never reads is sent only the newest state, and others are served', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`create table big (id int primary key, content text);
    insert into big select 1, repeat('x', 1000000)`)
  await trellis.op('track_table', 'big')
  const query = 'subscription { big { id content } }'
  const idle = await openApollo(t, trellis.url)
  idle.send({ type: 'start', id: '1', payload: { query } })
  await idle.next()
  idle.socket.pause()
  const reader = subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { big { id } }')
  await reader.atLeast(1)
  for (let id = 2; id <= 40; id++) {
    await trellis.graphql(`mutation { update_big(where: {}, _set: {id: ${id}}) { affected_rows } }`)
    await reader.until((items) => JSON.stringify(items.at(-1)).includes(`:${id}}`))
  }
  idle.socket.resume()
  const last = (message: Record<string, unknown> | undefined) => JSON.stringify(message ?? {}).slice(0, 100)
  await idle.messages.until((messages) => messages.some((message) => last(message).includes('"id":40,')))
  assert.ok(idle.spoken().length < 39, `${idle.spoken().length} messages`)
})

test('disconnected clients leave nothing behind', async (t) => {
  const trellis = await startLibrary(t)
  const before = await trellis.engine.app.countConnections()
  for (let round = 0; round < 3; round++) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => openApollo(t, trellis.url)))
    for (const [i, socket] of sockets.entries()) {
      const query = 'subscription ($id: Int!) { book(where: {id: {_eq: $id}}) { title } }'
      socket.send({ type: 'start', id: '1', payload: { query, variables: { id: i } } })
    }
    await Promise.all(sockets.map((socket) => socket.next()))
    for (const { socket } of sockets) socket.terminate()
  }
  await eventually(async () => (await trellis.engine.app.countConnections()) <= before)
})

test('invalid frames affect no other client', async (t) => {
  const trellis = await startLibrary(t)
  const beside = subscribeWith(graphqlWsClient(t, trellis.url), books)
  await beside.atLeast(1)
  const broken = await openApollo(t, trellis.url)
  const raw = (broken.socket as unknown as { _socket: { write(data: Buffer): void } })._socket
  raw.write(Buffer.alloc(1000, 0xff))
  await broken.closed
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  await beside.atLeast(2)
})
