// Operations on triggers and events while deliveries record the outcomes of the same events.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectTo, lateDeadlocks, survivesDeadlock } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const isolations = ['read-committed', 'repeatable-read', 'serializable'] as const

/** Whether a transaction waits for a lock. */
const waitsIn = async ({ sql }: TestTrellis): Promise<boolean> => {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await sql(waiting)).length > 0
}

/** An event trigger with an event in flight. */
async function start(t: TestContext, txIsolation: (typeof isolations)[number], more = '') {
  const settings = { txIsolation, eventsFetchBatchSize: 0 }
  const trellis = await startTrellis(t, { sql: `create table note (id serial primary key);${more}`, settings })
  await trellis.op('track_table', 'note')
  const insert = { columns: '*' }
  await trellis.op('create_event_trigger', { name: 'told', table: 'note', webhook: 'http://localhost', insert })
  await trellis.sql('insert into note default values')
  const worker = await connectTo(t, trellis.database.url)
  await worker.query('begin')
  await worker.query('update trellis.event_log set tries = 1')
  /** The worker ends when the change waits for it. */
  const beside = async <T>(change: Promise<T>): Promise<T> => {
    change.catch(() => {})
    await eventually(() => waitsIn(trellis))
    await worker.query('commit')
    return change
  }
  return { trellis, worker, beside }
}

const ways: readonly (readonly [type: string, args: unknown])[] = [
  ['delete_event_trigger', { name: 'told' }],
  ['clear_metadata', {}],
  ['bulk', [{ type: 'untrack_table', args: { table: 'note', cascade: true } }]],
]

for (const isolation of isolations) {
  for (const [type, args] of ways) {
    test(`${type} succeeds beside a delivery under ${isolation}`, async (t) => {
      const { trellis, beside } = await start(t, isolation)
      assert.notEqual(await beside(trellis.op(type, args)), null)
      await eventually(async () => (await trellis.sql('select from trellis.event_log where archived')).length === 1)
      assert.deepEqual(await trellis.sql('select tries from trellis.event_log'), [{ tries: 1 }])
      assert.deepEqual(await trellis.sql(`select from pg_trigger where tgname like 'trellis_told%'`), [])
    })
  }
}

for (const isolation of isolations) {
  test(`an event trigger is deleted despite a deadlock with a delivery under ${isolation}`, async (t) => {
    const { trellis, worker } = await start(t, isolation, lateDeadlocks)
    await worker.query('commit')
    await trellis.sql('insert into note default values')
    await worker.query(`begin; ${survivesDeadlock}`)
    await worker.query('update trellis.event_log set tries = 2 where seq = (select max(seq) from trellis.event_log)')
    const removed = trellis.op('delete_event_trigger', { name: 'told' })
    removed.catch(() => {})
    await eventually(() => waitsIn(trellis))
    // PostgreSQL ends the transaction of the request.
    await worker.query('update trellis.event_log set tries = 2')
    await worker.query('commit')
    await removed
    await eventually(async () => (await trellis.sql('select from trellis.event_log where archived')).length === 2)
    assert.deepEqual(await trellis.sql('select distinct tries from trellis.event_log'), [{ tries: 2 }])
  })
}

for (const isolation of isolations) {
  test(`a trigger is paused, resumed and removed beside many deliveries under ${isolation}`, async (t) => {
    const { trellis, beside } = await start(t, isolation)
    await trellis.sql('insert into note select generate_series(2, 500)')
    let isOver = false
    const deliver = async () => {
      const worker = await connectTo(t, trellis.database.url)
      // A subquery runs once: several rows at a time could deadlock with the change.
      const one = '(select 2 + floor(random() * 498))'
      while (!isOver) await worker.query(`update trellis.event_log set tries = 2 where seq = ${one}`)
    }
    const delivering = deliver()
    try {
      const slowly = (type: string) =>
        trellis.op('bulk', [
          { type: 'run_sql', args: { sql: 'select pg_sleep(0.05)' } },
          { type, args: { name: 'told' } },
        ])
      await slowly('pause_event_trigger')
      await slowly('resume_event_trigger')
      await beside(slowly('delete_event_trigger'))
      await eventually(async () => (await trellis.sql('select from trellis.event_log where not archived')).length === 0)
    } finally {
      isOver = true
      await delivering
    }
  })
}

for (const isolation of isolations) {
  test(`an event is delivered again, and a scheduled one removed, beside its delivery under ${isolation}`, async (t) => {
    const { trellis, beside } = await start(t, isolation)
    const [event] = await trellis.sql('select id as event_id from trellis.event_log')
    await beside(trellis.op('redeliver_event', event))
    assert.deepEqual(await trellis.sql('select tries from trellis.event_log'), [{ tries: 0 }])
    const once = { webhook: 'http://localhost', schedule_at: '2026-01-01T00:00:00Z' }
    const { event_id } = await trellis.op<{ event_id: string }>('create_scheduled_event', once)
    const worker = await connectTo(t, trellis.database.url)
    await worker.query('begin; update trellis.hdb_scheduled_events set tries = 1')
    const removed = trellis.op('delete_scheduled_event', { type: 'one_off', event_id })
    removed.catch(() => {})
    await eventually(() => waitsIn(trellis))
    await worker.query('commit')
    await removed
    assert.deepEqual(await trellis.sql('select from trellis.hdb_scheduled_events'), [])
  })
}

test('SQL that conflicts with other transactions runs once and is refused', async (t) => {
  const trellis = await startTrellis(t, { sql: 'create sequence runs', settings: { txIsolation: 'serializable' } })
  const sql = `select nextval('runs'); do $$ begin raise serialization_failure; end $$`
  const { status, body } = await trellis.opError('run_sql', { sql, check_metadata_consistency: true })
  assert.deepEqual([status, (body as { code: string }).code], [400, 'postgres-error'])
  assert.deepEqual(await trellis.sql('select last_value::int from runs'), [{ last_value: 1 }])
})
