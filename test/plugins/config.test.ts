import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Authenticator, definePlugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

const packageFile = new URL('../../package.json', import.meta.url)
const version = `v${JSON.parse(readFileSync(packageFile, 'utf8')).version}`

const report = {
  version,
  is_admin_secret_set: false,
  is_auth_hook_set: false,
  is_jwt_set: false,
  jwt: null,
  is_allow_list_enabled: false,
  live_queries: { batch_size: 100, refetch_delay: 1 },
}

/** The report without the members about the server's parts and surroundings. */
function withoutServer(body: unknown): unknown {
  const { dialect, apis, read_only, environment, postgres, workers, plugins, console, ...others } = body as Record<
    string,
    unknown
  >
  return others
}

test('the configuration is reported to administrators', async (t) => {
  const trellis = await startTrellis(t)
  const { status, body, headers } = await trellis.request('/v1alpha1/config', { role: 'admin' })
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(withoutServer(body), report)
  const { dialect, apis, read_only, environment, workers, plugins } = body as Record<string, unknown>
  assert.deepEqual([dialect, read_only, environment], ['trellis', false, { label: null, colour: null }])
  assert.ok((apis as { enabled: string[] }).enabled.includes('config'))
  assert.equal(workers, 1)
  const config = (plugins as { name: string; built_in: boolean; routes: string[] }[]).find(
    ({ name }) => name === 'config',
  )
  assert.deepEqual([config?.built_in, config?.routes], [true, ['GET /v1alpha1/config']])
})

test('the delay of live queries is reported in whole seconds, rounded up', async (t) => {
  const delays: unknown[] = []
  for (const liveQueriesRefetchInterval of [1000, 1500, 100]) {
    const trellis = await startTrellis(t, { settings: { liveQueriesRefetchInterval } })
    const { body } = await trellis.request<{ live_queries: { refetch_delay: number } }>('/v1alpha1/config')
    delays.push(body.live_queries.refetch_delay)
  }
  assert.deepEqual(delays, [1, 2, 1])
  const settings = { dialect: 'hasura', liveQueriesRefetchInterval: 1500 } as const
  const hasura = await startTrellis(t, { settings })
  const { body } = await hasura.request<{ live_queries: { refetch_delay: number } }>('/v1alpha1/config')
  assert.equal(body.live_queries.refetch_delay, 1.5)
})

test('other roles are refused', async (t) => {
  const trellis = await startTrellis(t)
  const { status, body } = await trellis.request('/v1alpha1/config', { role: 'guest' })
  const error = 'You have to be an admin to access this endpoint'
  assert.deepEqual([status, body], [400, { path: '$', error, code: 'access-denied' }])
})

test('the report says that an admin secret is set, without its value', async (t) => {
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  assert.equal((await trellis.request('/v1alpha1/config')).status, 401)
  const { body } = await trellis.request('/v1alpha1/config', { headers: { 'x-service-admin-secret': 'sesame' } })
  assert.deepEqual(withoutServer(body), { ...report, is_admin_secret_set: true })
})

test('the configuration of a jwt authenticator is reported', async (t) => {
  const jwt: Authenticator = {
    mode: 'jwt',
    configuration: { claims_namespace: 'https://example.org/claims', claims_format: 'json' },
    authenticate: () => ({ role: 'admin', variables: { 'x-service-role': 'admin' }, backendOnly: false }),
  }
  const plugin = definePlugin({ name: 'jwt', register: ({ auth }) => auth.use(jwt) })
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame' }, plugins: [plugin] })
  const { body } = await trellis.request('/v1alpha1/config')
  assert.deepEqual(withoutServer(body), {
    ...report,
    is_admin_secret_set: true,
    is_jwt_set: true,
    jwt: jwt.configuration,
  })
})

test('the hasura dialect also reports its console directory and the version for its tools', async (t) => {
  const trellis = await startTrellis(t, { settings: { dialect: 'hasura' } })
  const { body } = await trellis.request('/v1alpha1/config')
  assert.deepEqual(withoutServer(body), { ...report, version: 'v1.3.2', console_assets_dir: null })
  const moved = await startTrellis(t, { settings: { dialect: 'hasura', consoleAssetsDir: '/srv/console-assets' } })
  const { console_assets_dir } = (await moved.request('/v1alpha1/config')).body as Record<string, unknown>
  assert.equal(console_assets_dir, '/srv/console-assets')
  assert.deepEqual((await trellis.request('/v1/version')).body, { version: 'v1.3.2' })
})

test('the endpoint is disabled with its API', async (t) => {
  const trellis = await startTrellis(t, { settings: { enabledApis: ['metadata', 'graphql'] } })
  const { status, body } = await trellis.request('/v1alpha1/config')
  assert.deepEqual([status, body], [404, { path: '$', error: 'resource does not exist', code: 'not-found' }])
})

test('the version is public', async (t) => {
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  assert.deepEqual((await trellis.request('/v1/version')).body, { version })
})
