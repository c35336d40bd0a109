// Which endpoints each name in `--enabled-apis` enables, including those of third-party plugins.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { definePlugin, operation } from '../../sdk/index.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

const get = (path: string): Endpoint => ({ method: 'GET', path })
const post = (path: string, body: unknown): Endpoint => ({ method: 'POST', path, body })

const query = { query: '{ __typename }' }

/** The endpoints of each API. */
const endpoints: Readonly<Record<string, readonly Endpoint[]>> = {
  metadata: [
    post('/v1/query', { type: 'export_metadata', args: {} }),
    post('/v1/graphql/explain', { query }),
    post('/v1alpha1/graphql/explain', { query }),
    post('/api/1/table/nowhere/count', {}),
  ],
  graphql: [post('/v1/graphql', query), post('/v1alpha1/graphql', query), post('/v1beta1/relay', query)],
  pgdump: [post('/v1alpha1/pg_dump', { opts: ['--nonsense'] })],
  config: [get('/v1alpha1/config')],
  developer: [get('/dev/ekg'), get('/dev/plan_cache')],
  weather: [get('/weather')],
}

const alwaysOpen = ['/v1/version', '/healthz', '/livez', '/readyz'].map(get)

/** A third-party plugin with its own API, disabled by default, with a route and an operation. */
const weather = definePlugin({
  name: 'weather',
  api: 'Weather',
  enabledByDefault: false,
  register(engine) {
    engine.routes.add({ method: 'GET', url: '/weather', auth: 'session', handle: () => ({ sky: 'grey' }) })
    engine.operations.add(
      operation({ type: 'make_rain', args: Type.Unknown(), editsMetadata: false, handle: () => 'it rains' }),
    )
  },
})

const ask = ({ request }: TestTrellis, { method, path, body }: Endpoint) =>
  request(path, { method, ...(body === undefined ? {} : { body }) })

async function isOpen(trellis: TestTrellis, endpoint: Endpoint): Promise<boolean> {
  const { status, body, headers } = await ask(trellis, endpoint)
  // A table that is not tracked has its own path and message.
  if (status !== 404) return true
  assert.deepEqual(body, { path: '$', error: 'resource does not exist', code: 'not-found' }, endpoint.path)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  return false
}

async function openOf(trellis: TestTrellis): Promise<string[]> {
  const found: string[] = []
  for (const [api, own] of Object.entries(endpoints)) {
    for (const endpoint of own) if (await isOpen(trellis, endpoint)) found.push(`${api} ${endpoint.path}`)
  }
  for (const endpoint of alwaysOpen) assert.equal((await ask(trellis, endpoint)).status, 200, endpoint.path)
  return found
}

const allOf = (...apis: readonly string[]) =>
  apis.flatMap((api) => (endpoints[api] ?? []).map(({ path }) => `${api} ${path}`))

const start = (t: test.TestContext, enabledApis: readonly string[] | null) =>
  startTrellis(t, { plugins: [weather], settings: { enabledApis: enabledApis && [...enabledApis] } })

test('by default all APIs are enabled except those that are disabled by default', async (t) => {
  assert.deepEqual(await openOf(await start(t, null)), allOf('metadata', 'graphql', 'pgdump', 'config'))
})

for (const api of Object.keys(endpoints)) {
  test(`${api} enables its endpoints and no others`, async (t) => {
    assert.deepEqual(await openOf(await start(t, [api])), allOf(api))
  })
}

test('all APIs can be disabled; other endpoints still answer', async (t) => {
  assert.deepEqual(await openOf(await start(t, [])), [])
})

test("operations are enabled by their plugin's API, at the metadata endpoint", async (t) => {
  const both = await start(t, ['metadata', 'weather'])
  assert.equal(await both.op('make_rain', {}), 'it rains')
  const { status, body } = await (await start(t, ['metadata'])).opError('make_rain', {})
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /"code":"parse-failed"/)
})

test('a disabled API still serves objects that were configured through it', async (t) => {
  const database = await testDatabase(t, { sql: 'create table town (name text)' })
  await (await startTrellis(t, { database })).op('track_table', 'town')
  const { graphql } = await startTrellis(t, { database, settings: { enabledApis: ['graphql'] } })
  assert.deepEqual(await graphql('{ town { name } }'), { data: { town: [] } })
})

test('names are read in any case and with spaces, from the flag or the variable', async (t) => {
  const { url } = await testDatabase(t)
  const args = ['--database-url', url, '--server-host', '127.0.0.1', '--server-port', '0']
  const byVariable = spawnTrellis(t, args, { SERVICE_GRAPHQL_ENABLED_APIS: ' GraphQL , Config' })
  await byVariable.ready()
  assert.match((await byVariable.output(/APIs +(.*)\n/))[1]!, /^graphql, config$/)
  const byFlag = spawnTrellis(t, [...args, '--enabled-apis', 'metadata'], { SERVICE_GRAPHQL_ENABLED_APIS: 'graphql' })
  await byFlag.ready()
  assert.match((await byFlag.output(/APIs +(.*)\n/))[1]!, /^metadata$/)
})

test('an unknown name ends the start and lists the known names', async (t) => {
  const { url } = await testDatabase(t)
  const known = 'Only expecting list of comma separated API types metadata,graphql,pgdump,developer,config'
  const refusalOf = async (args: readonly string[], env: Record<string, string>) => {
    const { code, stderr } = await spawnTrellis(t, ['--database-url', url, ...args], env).ended
    assert.equal(code, 1)
    return stderr
  }
  const begins = (text: string, start: string) => assert.equal(text.slice(0, start.length), start)
  begins(await refusalOf(['--enabled-apis', 'graphql,telepathy'], {}), `Fatal Error:- Option --enabled-apis: ${known}`)
  begins(
    await refusalOf([], { SERVICE_GRAPHQL_ENABLED_APIS: 'telepathy' }),
    `Fatal Error:- Environment variable SERVICE_GRAPHQL_ENABLED_APIS: ${known}`,
  )
})
