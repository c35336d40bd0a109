// Metadata changes that the database aborts midway: the answer is an error, nothing of the change remains, and the next
// change works.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectTo } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = 'create table note (id serial primary key, body text); create table held (id int primary key)'

/**
 * Holds a lock on a table; the blocked change is found by its process. Instances also poll the version of the metadata,
 * which only reads.
 */
async function hold({ database }: TestTrellis, t: TestContext, table: string) {
  const holder = await connectTo(t, database.url)
  await holder.query(`begin; lock table ${table} in access exclusive mode`)
  const waiting = () =>
    eventually(async () => {
      const { rows } = await holder.query<{ pid: number }>(
        `select pid from pg_locks join pg_database d on d.oid = database
          where datname = current_database() and not granted and relation = $1::regclass
            and not (mode = 'AccessShareLock' and relation = 'trellis.metadata'::regclass)`,
        [table],
      )
      return rows[0]?.pid
    })
  return { waiting, release: () => holder.query('rollback') }
}

/** The metadata as served and as stored, and the database objects that belong to them. */
async function stateOf({ op, sql }: TestTrellis) {
  return {
    document: await op('export_metadata', {}, { version: 2 }),
    inconsistent: await op('get_inconsistent_metadata', {}),
    stored: await sql('select slice, key, entry::text from trellis.metadata_entry order by slice, key'),
    triggers: await sql('select tgrelid::regclass::text, tgname from pg_trigger where not tgisinternal order by 1, 2'),
  }
}

const hook = 'http://127.0.0.1:9/'
const permission = { columns: '*', filter: {} }
const trigger = (table: string) => ({ name: `on_${table}`, table, webhook: hook, insert: { columns: '*' } })
const document = (role: string) => ({
  version: 2,
  tables: [
    { table: 'held', event_triggers: [{ name: 'on_held', definition: { insert: { columns: '*' } }, webhook: hook }] },
    { table: 'note', select_permissions: [{ role, permission }] },
  ],
})

/** Changes that block on the metadata lock, on a table, or while writing entries. */
const changes = [
  { what: 'that waits for its turn', type: 'track_table', args: 'held', at: 'trellis.metadata' },
  { what: 'that stores an entry', type: 'track_table', args: 'held', at: 'trellis.metadata_entry' },
  { what: 'that writes a trigger', type: 'create_event_trigger', args: trigger('held'), at: 'held', tracks: true },
  { what: 'that replaces everything', type: 'replace_metadata', args: document('x'), at: 'held' },
  {
    what: 'that is one of several',
    type: 'bulk',
    args: [
      { type: 'create_select_permission', args: { table: 'note', role: 'x', permission } },
      { type: 'run_sql', args: { sql: 'alter table note add column more int' } },
      { type: 'track_table', args: 'held' },
      { type: 'create_event_trigger', args: trigger('held') },
    ],
    at: 'held',
  },
] as const

interface Fault {
  readonly what: string
  readonly statement: string
  readonly code: string
  readonly error: string
}

const faults: readonly Fault[] = [
  {
    what: 'whose connection is ended',
    statement: 'select pg_terminate_backend($1)',
    code: 'postgres-error',
    error: 'connection error',
  },
  {
    what: 'whose statement is cancelled',
    statement: 'select pg_cancel_backend($1)',
    code: 'unexpected',
    error: 'database query error',
  },
]

for (const { what: why, statement, ...expected } of faults) {
  for (const { what, type, args, at, ...change } of changes) {
    test(`a change ${what}, ${why}, changes nothing`, async (t) => {
      const trellis = await startTrellis(t, { sql: schema })
      await trellis.op('track_table', 'note')
      await trellis.op('create_event_trigger', trigger('note'))
      if ('tracks' in change) await trellis.op('track_table', 'held')
      const before = await stateOf(trellis)
      const held = await hold(trellis, t, at)
      const refused = trellis.opError(type, args)
      await trellis.sql(statement, [await held.waiting()])
      const { status, body } = await refused
      const { path, code, error } = body as { path: string; code: string; error: string }
      assert.deepEqual({ status, code, error }, { status: 500, ...expected })
      assert.match(path, /^\$\.args/)
      await held.release()
      assert.deepEqual(await stateOf(trellis), before)
      assert.deepEqual(await stateOf(await startTrellis(t, { database: trellis.database })), before)
      await trellis.op(type, args)
      const fresh = await startTrellis(t, { database: trellis.database })
      assert.deepEqual(await stateOf(fresh), await stateOf(trellis))
    })
  }
}

test("a change waits for a lock at most for the database's timeout, and reports it", async (t) => {
  const trellis = await startTrellis(t, { sql: schema })
  await trellis.op('track_table', 'held')
  const [{ name } = {}] = await trellis.sql<{ name: string }>('select current_database() as name')
  await trellis.sql(`alter database ${name} set lock_timeout = '50ms'`)
  const limited = await startTrellis(t, { database: trellis.database })
  const before = await stateOf(limited)
  const held = await hold(trellis, t, 'held')
  const { status, body } = await limited.opError('create_event_trigger', trigger('held'))
  const { internal, ...error } = body as { internal: { error: { status_code: string } } }
  assert.deepEqual([status, error], [500, { path: '$.args', error: 'database query error', code: 'unexpected' }])
  assert.equal(internal.error.status_code, '55P03')
  await held.release()
  assert.deepEqual(await stateOf(limited), before)
  await limited.op('create_event_trigger', trigger('held'))
})
