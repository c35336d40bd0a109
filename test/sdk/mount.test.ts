// The engine inside another Fastify.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { createEngine, type MountOptions, silentObserver, trellis } from '../../sdk/engine.ts'
import { definePlugin } from '../../sdk/index.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'

const sql = `create table harbour (id int primary key, name text); insert into harbour values (1, 'Oslo')`

/** An application with a route, a parser, hooks, and handlers for unknown paths and errors. */
function somebodysApp() {
  const app = Fastify()
  const seen: string[] = []
  app.addHook('onRequest', async ({ url }) => void seen.push(`request ${url}`))
  app.addHook('onResponse', async ({ originalUrl }, { statusCode }) => void seen.push(`${statusCode} ${originalUrl}`))
  app.addContentTypeParser('text/greeting', { parseAs: 'string' }, (_request, body, done) => done(null, { said: body }))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing of mine'))
  app.setErrorHandler((error, _request, reply) => reply.code(500).send(`mine: ${String(error)}`))
  app.post('/greet', ({ body }) => body)
  app.get('/fail', () => {
    throw new Error('oh')
  })
  return { app, seen }
}

async function send(url: string, options: { readonly body?: unknown; readonly headers?: Record<string, string> } = {}) {
  const { body, headers } = options
  const response = await fetch(url, {
    ...(body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  const text = await response.text()
  return { status: response.status, text, headers: response.headers }
}

test('a prefix may end in a slash, or be one', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  for (const [prefix, path] of [
    ['/api/data/', '/api/data/healthz'],
    ['/', '/healthz'],
  ] as const) {
    const app = Fastify()
    await app.register(trellis, { prefix, settings: { databaseUrl }, observe: silentObserver })
    atEnd(t, () => app.close())
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    assert.equal((await send(url + path)).text, 'OK')
    const socket = new WebSocket(url.replace('http', 'ws') + path.replace('healthz', 'v1/graphql'), 'graphql-ws')
    await once(socket, 'open')
    socket.close()
  }
})

test("an engine below a prefix runs beside the application's own routes", async (t) => {
  const { url: databaseUrl } = await testDatabase(t, { sql })
  const { app, seen } = somebodysApp()
  const settings = { databaseUrl, adminSecret: 'secret' }
  await app.register(trellis, { prefix: '/api/data', settings, observe: silentObserver } satisfies MountOptions & {
    prefix: string
  })
  atEnd(t, () => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const secret = { 'x-service-admin-secret': 'secret' }

  await send(`${url}/api/data/v1/query`, { body: { type: 'track_table', args: 'harbour' }, headers: secret })
  const query = { query: '{ harbour { name } }' }
  const answer = await send(`${url}/api/data/v1/graphql?a=b`, { body: query, headers: secret })
  assert.deepEqual([answer.status, answer.text], [200, '{"data":{"harbour":[{"name":"Oslo"}]}}'])
  const refused = await send(`${url}/api/data/v1/graphql`, { body: query })
  assert.deepEqual([refused.status, JSON.parse(refused.text).errors[0].extensions.code], [200, 'access-denied'])
  const missing = await send(`${url}/api/data/nowhere`)
  assert.deepEqual(
    [missing.status, missing.text],
    [404, '{"path":"$","error":"resource does not exist","code":"not-found"}'],
  )
  assert.equal((await send(`${url}/api/data/healthz`)).text, 'OK')

  // Neither gets anything of the other.
  const mine = await send(`${url}/greet`, { body: 'hi', headers: { 'content-type': 'text/greeting' } })
  assert.deepEqual([mine.status, mine.text], [200, '{"said":"hi"}'])
  assert.equal(
    (await send(`${url}/greet`, { body: { a: 1 }, headers: { 'content-type': 'application/json' } })).text,
    '{"a":1}',
  )
  assert.equal((await send(`${url}/fail`)).text, 'mine: Error: oh')
  assert.equal((await send(`${url}/v1/version`)).text, 'nothing of mine')
  assert.equal((await send(`${url}/greet`, { headers: { origin: 'https://a.example' } })).headers.get('vary'), null)
  assert.ok(seen.includes('request /api/data/v1/graphql?a=b'))
  assert.ok(seen.includes('200 /api/data/v1/graphql?a=b'))
})

test('pages of other origins are judged as at a port of its own', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const app = Fastify()
  app.register(trellis, { prefix: '/api', settings: { databaseUrl }, observe: silentObserver })
  atEnd(t, () => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  assert.equal((await send(`${url}/api/v1/version`, { headers: { origin: 'https://evil.example' } })).status, 403)
  const preflight = await fetch(`${url}/api/v1/graphql`, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.status, 204)
})

test('the engine closes with the application, and one that was given does not', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const closed: string[] = []
  const closes = (name: string) =>
    definePlugin({ name, register: ({ onClose }) => onClose(() => void closed.push(name)) })
  const common = { settings: { databaseUrl }, observe: silentObserver }
  const engine = await createEngine({ ...common, plugins: [closes('given')] })
  const app = Fastify()
  app.register(trellis, { prefix: '/one', ...common, plugins: [closes('own')] })
  app.register(trellis, { prefix: '/two/:tenant', engine })
  assert.equal((await app.inject('/one/healthz')).statusCode, 200)
  assert.equal((await app.inject('/two/a/healthz')).statusCode, 200)
  await app.close()
  assert.deepEqual(closed, ['own'])
  await engine.close()
  assert.deepEqual(closed, ['own', 'given'])
})

test('at the root, the routes of the application come first', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const app = Fastify()
  app.get('/v1/version', () => 'mine')
  app.register(trellis, { settings: { databaseUrl }, observe: silentObserver })
  atEnd(t, () => app.close())
  assert.equal((await app.inject('/v1/version')).body, 'mine')
  assert.equal((await app.inject('/healthz')).body, 'OK')
})

test('an engine that cannot start fails the start of the application', async () => {
  const app = Fastify()
  app.register(trellis, {
    settings: { databaseUrl: 'postgres://localhost:1/none', retries: 0 },
    observe: silentObserver,
  })
  await assert.rejects(async () => app.ready(), /PostgreSQL at localhost:1 cannot be reached/)
})

test("settings beside `settings` are refused, but Fastify's own options are not", async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const settings = { databaseUrl }
  const register = async (options: object) => {
    const app = Fastify()
    atEnd(t, () => app.close())
    await app.register(trellis, { settings, observe: silentObserver, ...options })
    await app.ready()
  }
  await register({ prefix: '/api', logLevel: 'error' })
  await assert.rejects(register({ adminSecret: 'not passed over' }), { message: /Option adminSecret: it belongs into/ })
})

test('an engine that is still starting is closed with its application', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const seen: string[] = []
  const slow = definePlugin({
    name: 'slow',
    async register({ onClose }) {
      onClose(() => void seen.push('closed'))
      await sleep(1000)
      seen.push('registered')
    },
  })
  const app = Fastify({ pluginTimeout: 100 })
  app.register(trellis, { settings: { databaseUrl }, plugins: [slow], observe: silentObserver })
  await assert.rejects(async () => app.ready(), /Plugin did not start in time/)
  await app.close()
  assert.deepEqual(seen, ['registered', 'closed'])
})

test('an engine closes although a statement does not end', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const settings = { databaseUrl, gracefulShutdownTimeout: 1 }
  const engine = await createEngine({ settings, observe: silentObserver })
  const session = { role: 'admin', variables: {}, backendOnly: false }
  const asked = engine.metadata.run({ type: 'run_sql', args: { sql: 'select pg_sleep(120)' } }, session)
  const outcome = asked.catch((error: Error) => error.message)
  await sleep(300)
  const closing = performance.now()
  await engine.close()
  assert.ok(performance.now() - closing < 30_000)
  assert.equal(await outcome, 'connection error')
})
