// Servers that start during a metadata change: they reconcile the database in turn, and an endless change does not
// block the start.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { busyError } from '../../core/database/wire/postgres-errors.ts'
import { StartError } from '../../core/errors/start-error.ts'
import { Reconciliation } from '../../core/metadata/serving/reconciliation.ts'
import { connectTo, type TestDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const schema = 'create table note (id int primary key)'
const trigger = { name: 'on_note', table: 'note', webhook: 'http://127.0.0.1:9/', insert: { columns: '*' } }

/** The beginning of a change, as another instance makes it. */
async function beginChange(t: TestContext, { url }: TestDatabase) {
  const client = await connectTo(t, url)
  await client.query(`begin; lock table trellis.metadata in share row exclusive mode;
    update trellis.metadata set resource_version = resource_version + 1`)
  return {
    /** Resolves once another transaction waits for its end. */
    awaited: () =>
      eventually(async () => {
        const { rows } = await client.query(`select 1 from pg_locks join pg_database d on d.oid = database
          where datname = current_database() and not granted and relation = 'trellis.metadata'::regclass`)
        return rows.length > 0
      }),
    commit: () => client.query('commit'),
  }
}

for (const txIsolation of ['read-committed', 'repeatable-read', 'serializable'] as const) {
  test(`a server that starts during a change serves the result of the change, under ${txIsolation}`, async (t) => {
    const { database, op } = await startTrellis(t, { sql: schema })
    await op('track_table', 'note')
    const change = await beginChange(t, database)
    const starting = startTrellis(t, { database, settings: { txIsolation } })
    await change.awaited()
    await change.commit()
    const { op: opOfStarted } = await starting
    // A start waits a limited time, and learns of the change later.
    await eventually(async () => {
      const { resource_version: version } = await opOfStarted<{ resource_version: number }>(
        'export_metadata',
        {},
        { version: 2 },
      )
      return version === 2
    })
  })
}

test('a server starts during a long change, and reconciles the database after it', async (t) => {
  const first = await startTrellis(t, { sql: schema })
  const { database, sql } = first
  await first.op('track_table', 'note')
  await first.op('create_event_trigger', trigger)
  await first.engine.close()
  await sql('drop function trellis."trellis_on_note_INSERT"() cascade')
  const change = await beginChange(t, database)
  const second = await startTrellis(t, { database })
  assert.deepEqual(await second.graphql('{ note { id } }'), { data: { note: [] } })
  const placed = () => sql('select tgname::text from pg_trigger where not tgisinternal')
  assert.deepEqual(await placed(), [])
  await change.commit()
  await eventually(async () => (await placed()).length > 0)
})

test('a start that a timeout of the database ends names the timeout and the remedy', async (t) => {
  const { database, sql, engine } = await startTrellis(t)
  await engine.close()
  const [{ name } = {}] = await sql<{ name: string }>('select current_database() as name')
  await sql(`alter database ${name} set lock_timeout = '50ms'`)
  const holder = await connectTo(t, database.url)
  await holder.query('begin; lock table trellis.metadata in access exclusive mode')
  await assert.rejects(startTrellis(t, { database }), (error: Error) => {
    assert.ok(error instanceof StartError)
    assert.match(
      error.message,
      /ended a statement of the start \(canceling statement due to lock timeout\): check .+lock_timeout/,
    )
    return true
  })
  await holder.query('rollback')
  await startTrellis(t, { database })
})

test('a delayed reconciliation survives a lack of connections', async (t) => {
  const denied = Object.assign(new Error('canceling statement due to lock timeout'), {
    severity: 'ERROR',
    code: '55P03',
  })
  const failures: Error[] = [denied, busyError(15, null)]
  const warnings: string[] = []
  let isDone = false
  const reconciliation = new Reconciliation({
    attempt: async () => {
      const failure = failures.shift()
      if (failure) throw failure
      isDone = true
    },
    warn: (message) => warnings.push(message),
  })
  t.after(() => reconciliation.stop())
  await reconciliation.start()
  await eventually(() => isDone)
  assert.deepEqual(warnings, ['another instance is changing the metadata; the database will be reconciled afterwards'])
})
