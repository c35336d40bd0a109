// The effects of the options about the database, seen from the database.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GivenSettings } from '../../core/engine/options.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = `
  create table note (id serial primary key, pid int default pg_backend_pid(),
    isolation text default current_setting('transaction_isolation'), beside int);
  create function look_around() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.2);
    new.beside := (select count(*) from pg_stat_activity
      where datname = current_database() and state = 'active' and wait_event = 'PgSleep');
    perform pg_sleep(0.2);
    return new;
  end $$;
  create table busy (like note including all);
  create trigger look before insert on busy for each row execute function look_around();
  create table answer (n bigint);
  create function prepared() returns setof answer language sql volatile as 'select count(*) from pg_prepared_statements';
  create function statements() returns setof answer language sql stable as 'select * from prepared()';
`

async function start(t: TestContext, settings: GivenSettings): Promise<TestTrellis> {
  // One client may fill the pool here.
  const trellis = await startTrellis(t, { sql: schema, settings: { callerShare: 100, ...settings } })
  for (const table of ['note', 'busy', 'answer']) await trellis.op('track_table', table)
  await trellis.op('track_function', 'statements')
  return trellis
}

interface Note {
  readonly pid: number
  readonly isolation: string
  readonly beside: number
}

async function insert({ graphql }: TestTrellis, table: 'note' | 'busy'): Promise<Note> {
  const query = `mutation { insert_${table}_one(object: {}) { pid isolation beside } }`
  const { data } = await graphql<{ data: Record<string, Note> }>(query)
  return data[`insert_${table}_one`]!
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const started = Date.now(); !(await isTrue()); await sleep(50)) {
    assert.ok(Date.now() - started < 60_000, String(isTrue))
  }
}

test('connections times stripes transactions run at once, and the others wait', async (t) => {
  for (const [settings, most] of [
    [{ connections: 2 }, 2],
    [{ connections: 2, stripes: 2 }, 4],
  ] as const) {
    const trellis = await start(t, settings)
    // On a slow machine a connection may be free again before the next one is open.
    await eventually(async () => {
      const notes = await Promise.all(Array.from({ length: 9 }, () => insert(trellis, 'busy')))
      assert.ok(notes.every(({ beside }) => beside < most))
      const { size } = new Set(notes.map(({ pid }) => pid))
      assert.ok(size <= most, `${size} connections`)
      return size === most
    })
  }
})

test('an idle connection is closed after its time', async (t) => {
  const trellis = await start(t, { connections: 5, timeout: 1 })
  const used = await eventually(async () => {
    const notes = await Promise.all([1, 2, 3].map(() => insert(trellis, 'busy')))
    const pids = new Set(notes.map(({ pid }) => pid))
    return pids.size > 1 && pids
  })
  // The one that is asked for the version of the metadata each second stays.
  await until(async () => {
    const left = await trellis.sql('select 1 from pg_stat_activity where pid = any($1::int[])', [[...used]])
    return left.length <= 1
  })
})

test('a connection is replaced at the end of its lifetime', async (t) => {
  const trellis = await start(t, { connections: 1, connLifetime: 1 })
  const { pid } = await insert(trellis, 'note')
  await until(async () => (await insert(trellis, 'note')).pid !== pid)
})

test('statements are prepared when they run again, or never', async (t) => {
  const prepared = async (usePreparedStatements: boolean) => {
    const trellis = await start(t, { usePreparedStatements, connections: 1 })
    const found: number[] = []
    for (let i = 0; i < 12; i++) {
      const { data } = await trellis.graphql<{ data: { statements: [{ n: number }] } }>('{ statements { n } }')
      found.push(Number(data.statements[0].n))
    }
    return found
  }
  assert.ok((await prepared(true)).at(-1)! > 0)
  assert.deepEqual(new Set(await prepared(false)), new Set([0]))
})

for (const txIsolation of ['read-committed', 'repeatable-read', 'serializable'] as const) {
  test(`transactions have the isolation ${txIsolation}`, async (t) => {
    const trellis = await start(t, { txIsolation })
    const expected = txIsolation.replace('-', ' ')
    assert.equal((await insert(trellis, 'note')).isolation, expected)
    const { result } = await trellis.op<{ result: string[][] }>('run_sql', { sql: 'show transaction_isolation' })
    assert.deepEqual(result[1], [expected])
    await trellis.op('insert', { table: 'note', objects: [{}] })
    const rows = await trellis.sql('select distinct isolation from note')
    assert.deepEqual(rows, [{ isolation: expected }])
  })
}

test('plans are cached, unless the cache has size 0', async (t) => {
  const reuses = async (queryPlanCacheSize: number) => {
    const { engine, graphql } = await start(t, { queryPlanCacheSize })
    const request = { query: '{ note { id } }', operationName: null, variables: {} }
    const session = { role: 'admin', variables: { 'x-service-role': 'admin' }, backendOnly: false }
    const [first, second] = [1, 2].map(() => engine.graphql.plan(request, session).prepared)
    assert.deepEqual(await graphql(request.query), { data: { note: [] } })
    return first === second
  }
  assert.equal(await reuses(4000), true)
  assert.equal(await reuses(0), false)
})

test('a database can be given in parts, with options for its sessions', async (t) => {
  const url = new URL((await testDatabase(t)).url)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = url.searchParams.get('port') ?? url.port
  const parts = ['--host', host, '-p', port, '-u', url.username, '-d', url.pathname.slice(1)]
  const more = [
    ...(url.password ? ['--password', url.password] : []),
    '--pg-connection-options=-c search_path=app,public',
  ]
  const server = spawnTrellis(t, [...parts, ...more, '--server-host', '127.0.0.1', '--server-port', '0'])
  const { op } = clientOf(await server.ready())
  const { result } = await op<{ result: string[][] }>('run_sql', { sql: 'show search_path' })
  assert.deepEqual(result[1], ['app,public'])
})
