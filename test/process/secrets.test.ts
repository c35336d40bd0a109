// Secrets are planted at every place where a server accepts one, and every endpoint is requested in every way. No
// output of the server may contain one: answers, headers, log, banner, exports, requests to others.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { macKey, namespace, sign } from '../auth/tokens.ts'
import { clientOf, type TestClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

/** Secrets that must not leak. Each is distinct, so that a match identifies the secret. */
const planted = {
  databasePassword: 'planted-database-password',
  sslPassword: 'planted-ssl-password',
  adminSecret: 'planted-admin-secret',
  formerSecret: 'planted-former-secret',
  metricsSecret: 'planted-metrics-secret',
  guess: 'planted-wrong-guess',
  hookPassword: 'planted-hook-password',
  hookQuery: 'planted-hook-query',
  keyQuery: 'planted-key-query',
  cookie: 'planted-cookie',
} as const

const jwtKey = `planted-${macKey}`

const everything = [
  ...['--server-host', '127.0.0.1', '--server-port', '0', '--log-level', 'debug'],
  ...['--enabled-log-types', 'startup,http-log,query-log,webhook-log,websocket-log,livequery-poller-log'],
  ...['--enabled-apis', 'metadata,graphql,pgdump,config,developer,metrics'],
]

interface Request {
  readonly path: string
  readonly body?: unknown
}

/** Requests that succeed for administrators, and requests that fail in various ways. */
const requests: readonly Request[] = [
  { path: '/v1/query', body: { type: 'export_metadata', args: {} } },
  { path: '/v1/query', body: { type: 'export_metadata', version: 2, args: {} } },
  { path: '/v1/query', body: { type: 'get_inconsistent_metadata', args: {} } },
  { path: '/v1/query', body: { type: 'dump_internal_state', args: {} } },
  { path: '/v1/query', body: { type: 'get_catalog_state', args: {} } },
  { path: '/v1/query', body: { type: 'reload_metadata', args: {} } },
  { path: '/v1/query', body: { type: 'run_sql', args: { sql: `select current_setting('service.user')` } } },
  { path: '/v1/query', body: { type: 'run_sql', args: { sql: 'select nonsense' } } },
  { path: '/v1/query', body: { type: 'run_sql', args: { sql: `select query from pg_stat_activity` } } },
  { path: '/v1/query', body: { type: 'count', args: { table: 'town', where: { name: 'X-Service-User-Id' } } } },
  { path: '/v1/query', body: '{' },
  { path: '/api/1/table/town/select', body: { columns: ['id'] } },
  { path: '/v1/graphql', body: { query: '{ town { id name } }' } },
  { path: '/v1/graphql', body: { query: '{ town(where: {name: {_eq: "x"}}) { id } broken }' } },
  { path: '/v1alpha1/graphql', body: { query: 'mutation { insert_town_one(object: {id: 1}) { id } }' } },
  { path: '/v1alpha1/graphql', body: { query: 'mutation { insert_town_one(object: {id: 1}) { id } }' } },
  { path: '/v1beta1/relay', body: { query: '{ __typename }' } },
  { path: '/v1/graphql/explain', body: { query: { query: '{ town { id } }' }, user: { 'x-service-role': 'guest' } } },
  { path: '/v1alpha1/pg_dump', body: { opts: ['--schema-only', '--nonsense'] } },
  { path: '/v1alpha1/pg_dump', body: { opts: ['--schema-only'] } },
  { path: '/v1alpha1/config' },
  { path: '/dev/ekg' },
  { path: '/dev/plan_cache' },
  { path: '/v1/metrics' },
  { path: '/v1/version' },
  { path: '/healthz' },
  { path: '/readyz' },
  { path: '/nowhere?key=1' },
]

interface Sweep {
  readonly args: readonly string[]
  readonly headers: readonly Record<string, string>[]
  /** Texts that the other servers of the sweep received. */
  heard?(): string
}

/** All output of a server during and after all requests with each of these headers. */
async function shown(t: TestContext, { args, headers, heard }: Sweep): Promise<string> {
  const database = await testDatabase(t, { sql: 'create table town (id int primary key, name text)' })
  const url = new URL(database.url)
  url.password = planted.databasePassword
  url.searchParams.set('sslpassword', planted.sslPassword)
  const secrets = JSON.stringify([planted.adminSecret, planted.formerSecret])
  const env = {
    SERVICE_GRAPHQL_DATABASE_URL: url.href,
    SERVICE_GRAPHQL_ADMIN_SECRET: secrets,
    SERVICE_GRAPHQL_METRICS_SECRET: planted.metricsSecret,
  }
  const server = spawnTrellis(t, [...everything, ...args], env, { cwd: temporaryDirectory(t) })
  const client = clientOf(await server.ready())
  const admin = { headers: { 'x-service-admin-secret': planted.formerSecret } }
  await client.op('track_table', 'town', admin)
  const answers: string[] = []
  for (const each of [admin.headers, ...headers]) answers.push(await askEverything(client, each))
  await database.sql('drop table town')
  await client.op('reload_metadata', {}, admin)
  answers.push(await askEverything(client, admin.headers))
  await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  answers.push(await askEverything(client, admin.headers))
  server.kill('SIGTERM')
  const { code, stdout, stderr } = await server.ended
  assert.equal(code, 0)
  assert.match(stdout, /"type":"http-log"/)
  return [...answers, stdout, stderr, heard?.() ?? ''].join('\n')
}

async function askEverything(client: TestClient, headers: Record<string, string>): Promise<string> {
  const answers: string[] = []
  for (const { path, body } of requests) {
    const answer = await client.request(path, { headers, ...(body === undefined ? {} : { body }) })
    answers.push(answer.text, JSON.stringify([...answer.headers]))
  }
  return answers.join('\n')
}

function assertNone(text: string, secrets: readonly string[]): void {
  const found = secrets.filter((secret) => text.includes(secret))
  assert.deepEqual(found, [])
}

const wrong = { 'x-service-admin-secret': planted.guess }

for (const mode of [[], ['--dev-mode'], ['--stringify-numeric-types', '--use-prepared-statements', 'false']]) {
  test(`nothing that a server shows holds its secrets (${mode.join(' ') || 'as it is'})`, async (t) => {
    const text = await shown(t, { args: mode, headers: [{}, wrong, { 'x-service-access-key': planted.guess }] })
    assertNone(text, Object.values(planted))
  })
}

test('neither the key of tokens nor the tokens are shown', async (t) => {
  const args = ['--jwt-secret', JSON.stringify({ type: 'HS256', key: jwtKey }), '--unauthorized-role', 'guest']
  const claims = { 'x-service-allowed-roles': ['guest'], 'x-service-default-role': 'guest' }
  const key = Buffer.from(jwtKey)
  const good = await sign({ [namespace]: claims }, { key })
  const expired = await sign({ [namespace]: claims, exp: 1 }, { key })
  const bearing = (token: string) => ({ authorization: `Bearer ${token}`, cookie: `a=${planted.cookie}` })
  const headers = [bearing(good), bearing(expired), bearing(`${good}x`), bearing('planted.malformed.token')]
  const text = await shown(t, { args, headers })
  const signatures = [good, expired].map((token) => token.split('.')[2]!)
  assertNone(text, [...Object.values(planted), jwtKey, ...signatures, 'planted.malformed.token'])
})

test('credentials of a webhook are not shown, and the webhook gets no secrets of the server', async (t) => {
  const secret = { 'x-service-role': 'guest', 'x-service-admin-secret': planted.guess }
  let status = 200
  const hook = await startOther(t, () => ({ status: status++ % 3 === 0 ? 500 : 200, body: secret }))
  const url = new URL(`/auth?key=${planted.hookQuery}`, hook.url)
  url.username = 'planted'
  url.password = planted.hookPassword
  const args = ['--auth-hook', url.href, '--auth-hook-mode', 'POST']
  const heard = () => hook.received.map(({ headers, body }) => JSON.stringify([headers, body])).join('\n')
  const text = await shown(t, { args, headers: [{}, { 'x-badge': 'blue' }], heard })
  const { guess: _, ...others } = planted
  assertNone(text, Object.values(others))
})

/** Values of variables that metadata refers to. */
const ofEnvironment = {
  HOOK_PATH: 'planted-hook-path',
  HOOK_URL: '',
  REMOTE_URL: '',
  HOOK_TOKEN: 'planted-hook-token',
  HOOK_BADGE: 'planted-hook-badge',
}

/** Metadata that takes URLs and headers from the environment, and has secrets of its own, for a server that answers 500. */
function documentOf(hook: string): unknown {
  const literal = new URL('/literal?key=planted-literal-query', hook)
  literal.username = 'somebody'
  literal.password = 'planted-literal-password'
  const headers = [
    { name: 'Authorization', value_from_env: 'HOOK_TOKEN' },
    { name: 'X-Badge', value_from_env: 'HOOK_BADGE' },
    { name: 'X-Api-Key', value: 'planted-literal-key' },
  ]
  const template = `${hook}/{{HOOK_PATH}}/x`
  const retry_conf = { num_retries: 0 }
  const trigger = { retry_conf, headers, definition: { enable_manual: true, insert: { columns: '*' } } }
  const action = { output_type: 'Out!', handler: template, headers, arguments: [], type: 'query' }
  const cron = { schedule: '0 0 1 1 *', headers, include_in_metadata: true }
  // The list of inconsistent objects shows this one in the form of the document.
  const lost = { url_from_env: 'REMOTE_URL', headers: headers.slice(0, 2), timeout_seconds: 1 }
  return {
    version: 2,
    tables: [
      {
        table: 'town',
        event_triggers: [
          { ...trigger, name: 'by_variable', webhook_from_env: 'HOOK_URL' },
          { ...trigger, name: 'by_template', webhook: template },
          { ...trigger, name: 'by_text', webhook: literal.href },
        ],
      },
    ],
    custom_types: { objects: [{ name: 'Out', fields: [{ name: 'a', type: 'String' }] }] },
    actions: [
      { name: 'act', definition: action },
      { name: 'act_by_text', definition: { ...action, handler: literal.href } },
    ],
    cron_triggers: [
      { ...cron, name: 'by_template', webhook: template },
      { ...cron, name: 'by_text', webhook: literal.href },
    ],
    remote_schemas: [{ name: 'lost', definition: lost }],
  }
}

/** Requests everything that is served of it, and all its effects. */
async function askOfHooks(client: TestClient, headers: Record<string, string>): Promise<string> {
  const logs = ['by_variable', 'by_template', 'by_text'].flatMap((name) => [
    { type: 'pg_get_event_logs', args: { name } },
    { type: 'pg_get_event_invocation_logs', args: { name } },
  ])
  const operations = [
    { type: 'dump_internal_state', args: {} },
    { type: 'get_inconsistent_metadata', args: {} },
    { type: 'reload_remote_schema', args: { name: 'lost' } },
    { type: 'introspect_remote_schema', args: { name: 'lost' } },
    {
      type: 'add_remote_schema',
      args: { name: 'new', definition: { url_from_env: 'REMOTE_URL', timeout_seconds: 1 } },
    },
    { type: 'get_catalog_state', args: {} },
    { type: 'invoke_event_trigger', args: { name: 'by_variable', payload: {} } },
    ...logs,
  ]
  const queries = ['{ act { a } }', '{ act_by_text { a } }', 'mutation { insert_town_one(object: {id: 7}) { id } }']
  const answers: string[] = []
  for (const body of operations) answers.push((await client.request('/v1/query', { headers, body })).text)
  for (const query of queries) answers.push((await client.request('/v1/graphql', { headers, body: { query } })).text)
  for (const path of ['/v1/metrics', '/dev/jobs', '/dev/subscriptions', '/v1alpha1/config', '/v1/graphql/explain']) {
    answers.push((await client.request(path, { headers })).text)
  }
  return answers.join('\n')
}

test('values from the environment, and secrets in URLs and headers of the metadata, are not shown', async (t) => {
  const hook = await startOther(t, () => ({ status: 500, body: 'out of order' }))
  const database = await testDatabase(t, { sql: 'create table town (id int primary key, name text)' })
  const withUser = (path: string) => {
    const url = new URL(path, hook.url)
    url.username = 'planted-user'
    url.password = 'planted-url-password'
    return url.href
  }
  const environment = {
    ...ofEnvironment,
    HOOK_URL: withUser('/planted-variable-path?key=planted-variable-query'),
    REMOTE_URL: withUser('/planted-remote-path?key=planted-remote-query'),
  }
  const args = [...everything, '--dev-mode', '--database-url', database.url, '--events-fetch-interval', '100']
  const secret = { SERVICE_GRAPHQL_ADMIN_SECRET: planted.adminSecret }
  const server = spawnTrellis(t, args, { ...environment, ...secret }, { cwd: temporaryDirectory(t) })
  const client = clientOf(await server.ready())
  const headers = { 'x-service-admin-secret': planted.adminSecret }
  const replaced = await client.request('/v1/query', {
    headers,
    body: {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: documentOf(hook.url) },
    },
  })
  assert.equal(replaced.status, 200, replaced.text)
  const before = await askOfHooks(client, headers)
  // Three of the row, one that is asked for.
  await eventually(() => hook.received.filter(({ path }) => !path.includes('remote')).length >= 6)
  const after = await askOfHooks(client, headers)
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.ended
  const sent = hook.received.map((received) => JSON.stringify(received)).join('\n')
  const secrets = [
    ...[ofEnvironment.HOOK_PATH, ofEnvironment.HOOK_TOKEN, ofEnvironment.HOOK_BADGE],
    ...['planted-user', 'planted-url-password', 'planted-variable-path', 'planted-variable-query'],
    ...['planted-remote-path', 'planted-remote-query', 'planted-literal-password', 'planted-literal-query'],
    'planted-literal-key',
  ]
  for (const each of secrets.filter((text) => !/planted-(url|user|literal-pass)/.test(text)))
    assert.ok(sent.includes(each), each)
  assert.match(after, /"serverVersion"/)
  assertNone([replaced.text, before, after, stdout, stderr].join('\n'), secrets)
})

test('the start that fails shows no secret', async (t) => {
  const database = await testDatabase(t)
  const url = new URL(database.url)
  url.password = planted.databasePassword
  const nowhere = new URL('postgres://u@127.0.0.1:1/d')
  nowhere.password = planted.databasePassword
  const keys = await startOther(t, () => ({ status: 404 }))
  const secret = ['--admin-secret', planted.adminSecret]
  const jwt = (value: unknown) => [...secret, '--jwt-secret', typeof value === 'string' ? value : JSON.stringify(value)]
  const starts: readonly (readonly string[])[] = [
    ['--database-url', nowhere.href, '--retries', '0'],
    ['--database-url', `postgres://u:${planted.databasePassword}@h:port/d`],
    ...['/', '?', '#'].flatMap((mark) => [
      ['--database-url', `postgres://u:1${mark}planted-short@h/d`],
      ['--database-url', `postgres://u:p@planted-short${mark}planted-short@h/d`],
    ]),
    ['--database-url', `mysql://u:${planted.databasePassword}@h/d`],
    ['--database-url', url.href, '--admin-secret', `["${planted.adminSecret}",""]`],
    ['--database-url', url.href, ...jwt({ type: 'HS256', key: 'planted-short' })],
    ['--database-url', url.href, ...jwt(`{"type":"HS256","key":"planted-short"`)],
    ['--database-url', url.href, ...jwt({ type: 'RS256', key: 'planted-short' })],
    ['--database-url', url.href, ...jwt({ jwk_url: `${keys.url}/?key=${planted.keyQuery}` })],
    ['--database-url', url.href, ...jwt({ jwk_url: `http://127.0.0.1:1/?key=${planted.keyQuery}` })],
    [
      '--database-url',
      url.href,
      ...secret,
      '--auth-hook',
      `ftp://u:${planted.hookPassword}@h/?key=${planted.hookQuery}`,
    ],
    ['--host', 'h', '--password', planted.databasePassword],
  ]
  for (const args of starts) {
    const { code, stdout, stderr } = await spawnTrellis(t, args, {}, { cwd: temporaryDirectory(t) }).ended
    assert.equal(code, 1, args.join(' '))
    assertNone(stdout + stderr, [...Object.values(planted), 'planted-short'])
  }
})
