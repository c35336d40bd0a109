// PostgreSQL is stopped and started again below a busy server. TRELLIS_TEST_OUTAGE_SECONDS says for how
// long it is away.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { atEnd } from '../support/cleanup.ts'
import { clientOf, type TestClient } from '../support/client.ts'
import { spawnTrellis, type TrellisProcess } from '../support/process.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Load, type LoadKind, type Outcome, startLoad } from './load.ts'

const outage = Number(process.env['TRELLIS_TEST_OUTAGE_SECONDS'] ?? 5) * 1000

const schema = `
  create table counter (id serial primary key, label text not null unique);
  create table slow (id serial primary key, label text);
  create function wait_a_moment() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return new; end';
  create trigger wait before insert on slow for each row execute function wait_a_moment();
  create function slow_counters() returns setof counter language sql stable as
    'select c.* from counter c, pg_sleep(0.3)';
`

const graphql = (query: (n: number) => string) => (n: number) => ({ query: query(n) })
const read = { columns: '*', filter: {} }

const kinds: readonly LoadKind[] = [
  { name: 'query', path: '/v1/graphql', body: graphql((n) => `{ counter(limit: ${n % 3}) { id label } }`) },
  { name: 'same query', path: '/v1/graphql', body: graphql(() => '{ counter_aggregate { aggregate { count } } }') },
  { name: 'slow query', path: '/v1alpha1/graphql', body: graphql(() => '{ slow_counters { id } }') },
  {
    name: 'insert',
    path: '/v1alpha1/graphql',
    body: graphql((n) => `mutation { insert_counter_one(object: {label: "m${n}"}) { id } }`),
  },
  {
    name: 'two inserts',
    path: '/v1/graphql',
    body: graphql(
      (n) => `mutation { a: insert_counter_one(object: {label: "a${n}"}) { id }
        b: insert_counter_one(object: {label: "b${n}"}) { id } }`,
    ),
  },
  {
    name: 'slow insert',
    path: '/v1/graphql',
    body: graphql((n) => `mutation { insert_slow_one(object: {label: "s${n}"}) { id } }`),
  },
  { name: 'batch', path: '/v1/graphql', body: () => [{ query: '{ slow { id } }' }, { query: '{ __typename }' }] },
  {
    name: 'edit',
    path: '/v1/query',
    body: (n) => ({
      type: 'bulk',
      args: [
        { type: 'create_select_permission', args: { table: 'counter', role: `r${n}`, permission: read } },
        { type: 'drop_select_permission', args: { table: 'counter', role: `r${n}` } },
      ],
    }),
  },
  { name: 'reload', path: '/v1/query', body: () => ({ type: 'reload_metadata', args: {} }) },
  { name: 'run_sql', path: '/v1/query', body: () => ({ type: 'run_sql', args: { sql: 'select pg_sleep(0.1)' } }) },
  {
    name: 'count',
    path: '/v1/query',
    body: () => ({ type: 'count', args: { table: 'counter', where: {} } }),
  },
  {
    name: 'explain',
    path: '/v1/graphql/explain',
    body: () => ({ query: { query: '{ counter { id } }' } }),
  },
]

interface WireError {
  readonly code: string
  readonly message: string
}

const single = (body: unknown): WireError | null => {
  const { errors, error, code } = body as {
    errors?: { message: string; extensions: { code: string } }[]
    error?: string
    code?: string
  }
  const [first] = errors ?? []
  if (first) return { code: first.extensions.code, message: first.message }
  return error === undefined ? null : { code: String(code), message: error }
}

/** The first error of an answer; null when it has none. */
const errorOf = ({ body }: Outcome): WireError | null =>
  Array.isArray(body) ? (body.map(single).find((error) => error !== null) ?? null) : single(body)

const succeeded = (outcome: Outcome) => outcome.status === 200 && errorOf(outcome) === null

/** Every failure says that the database is away, in the form and with the status of its endpoint. */
function assertOutcomes(outcomes: readonly Outcome[]): void {
  const strange = outcomes.filter((outcome) => {
    const error = errorOf(outcome)
    if (error === null) return outcome.status !== 200
    const path = kinds.find(({ name }) => name === outcome.kind)?.path
    const isKnown = ['connection error', 'postgres tx error'].includes(error.message)
    return !isKnown || error.code !== 'postgres-error' || outcome.status !== (path === '/v1/graphql' ? 200 : 500)
  })
  assert.deepEqual(strange.slice(0, 3), [])
}

async function ask(client: TestClient, path: string) {
  const { status, body } = await client.request(path)
  return [status, body]
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const started = Date.now(); !(await isTrue()); await sleep(50)) {
    assert.ok(Date.now() - started < 60_000, String(isTrue))
  }
}

const openFiles = ({ pid }: TrellisProcess): number => readdirSync(`/proc/${pid}/fd`).length

async function connect(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  atEnd(t, () => client.end().catch(() => {}))
  return client
}

/** With too little memory for a server that keeps something of each failed request. */
const frugal = [process.execPath, '--max-old-space-size=100', new URL('../../bin/trellis.ts', import.meta.url).pathname]

const serve = (t: TestContext, cluster: Cluster, more: readonly string[] = []) => {
  const args = ['--database-url', cluster.url, '--server-host', '127.0.0.1', '--server-port', '0', '--connections', '6']
  return spawnTrellis(t, [...args, ...more], {}, { command: frugal })
}

async function prepare(t: TestContext, cluster: Cluster, client: TestClient): Promise<void> {
  await (await connect(t, cluster.url)).query(schema)
  await client.op('bulk', [
    { type: 'track_table', args: 'counter' },
    { type: 'track_table', args: 'slow' },
    { type: 'track_function', args: 'slow_counters' },
  ])
}

/** Rows that were acknowledged are there, and no others than those that were asked for. */
async function assertRows(database: pg.Client, { outcomes }: Load): Promise<void> {
  const { rows } = await database.query<{ label: string }>('select label from counter union all select label from slow')
  const made = (letter: string) => rows.filter(({ label }) => label.startsWith(letter)).length
  for (const [kind, letter] of [
    ['insert', 'm'],
    ['two inserts', 'a'],
    ['slow insert', 's'],
  ] as const) {
    const all = outcomes.filter((outcome) => outcome.kind === kind)
    const acknowledged = all.filter(succeeded).length
    assert.ok(made(letter) >= acknowledged && made(letter) <= all.length, kind)
  }
  assert.equal(made('a'), made('b'))
}

const cases = [
  { what: 'shut down', mode: 'fast', args: [] },
  { what: 'crashed, statements not prepared', mode: 'immediate', args: ['--use-prepared-statements', 'false'] },
] as const

for (const { what, mode, args } of cases) {
  test(`a busy server survives an outage of its database (${what})`, async (t) => {
    const cluster = await startCluster(t)
    const server = serve(t, cluster, args)
    const client = clientOf(await server.ready())
    await prepare(t, cluster, client)
    const load = startLoad(await server.ready(), kinds)
    await load.everyKind(succeeded)
    const before = openFiles(server)

    await cluster.stop(mode)
    const down = Date.now()
    await load.everyKind((outcome) => !succeeded(outcome))
    assert.deepEqual(await ask(client, '/healthz'), [500, 'ERROR'])
    const reason = { status: 'not ready', reason: 'the database does not answer' }
    assert.deepEqual(await ask(client, '/readyz'), [503, reason])
    assert.deepEqual(await ask(client, '/livez'), [200, { status: 'alive' }])
    // Requests that need no database are still answered.
    assert.deepEqual(await client.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
    await sleep(Math.max(0, outage - (Date.now() - down)))
    const during = openFiles(server)

    await cluster.start()
    await until(async () => (await client.request('/readyz')).status === 200)
    await load.everyKind(succeeded)
    await load.stop()
    assert.deepEqual(await ask(client, '/healthz'), [200, 'OK'])
    assertOutcomes(load.outcomes)
    const database = await connect(t, cluster.url)
    await assertRows(database, load)
    await assertNoticesArrive(t, { cluster, client, database })

    assert.ok(during <= before + kinds.length, `${before} files before, ${during} during`)
    server.kill('SIGTERM')
    const { code, stdout, stderr } = await server.ended
    assert.equal(code, 0)
    const { password } = new URL(cluster.url)
    assert.equal([stdout, stderr, JSON.stringify(load.outcomes)].join().includes(password), false)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; level: string; detail: unknown })
    const unforeseen = lines.filter(({ type, level }) => type === 'unstructured' && level !== 'info')
    assert.deepEqual(unforeseen, [])
    const notices = lines.filter(({ detail }) => JSON.stringify(detail).includes('changes of other instances'))
    assert.equal(notices.length, 1)
  })
}

/** The connection for notices is back, and changes that another server makes are served. */
async function assertNoticesArrive(
  t: TestContext,
  { cluster, client, database }: { cluster: Cluster; client: TestClient; database: pg.Client },
): Promise<void> {
  await until(async () => {
    const { rows } = await database.query(`select 1 from pg_stat_activity where query like 'LISTEN%'`)
    return rows.length > 0
  })
  const other = serve(t, cluster)
  const { op } = clientOf(await other.ready())
  await op('untrack_table', { table: 'slow' })
  const tables = async () =>
    (await client.op<{ tables: { table: { name: string } }[] }>('export_metadata', {})).tables.map(
      ({ table }) => table.name,
    )
  await until(async () => !(await tables()).includes('slow'))
  other.kill('SIGTERM')
  assert.equal((await other.ended).code, 0)
}
