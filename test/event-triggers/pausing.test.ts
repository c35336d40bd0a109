// Event triggers are paused, resumed or removed during writes, and some instances learn of it late.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveries } from '../../plugins/delivery/index.ts'
import { EventLedger } from '../../plugins/event-triggers/ledger/ledger.ts'
import { UnparkTimes } from '../../plugins/event-triggers/ledger/unpark-times.ts'
import { definePlugin } from '../../sdk/index.ts'
import { openDatabase } from '../support/connections.ts'
import { lateDeadlocks, survivesDeadlock } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { ledgerOf } from './ledgers.ts'
import { startShop } from './shop.ts'

const inserts = { insert: { columns: '*' }, update: null, delete: null }

test('an event written while its trigger was paused, and committed after the resume, is delivered soon', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(inserts)
  await shop.op('pause_event_trigger', { name: 'order' })
  const { database } = await openDatabase(t, { url: shop.database.url })
  await database.transaction(async (writer) => {
    await writer.rows('insert into orders (id) values (1)')
    await shop.op('resume_event_trigger', { name: 'order' })
  })
  // The unpark job of each minute would come too late for this test.
  await shop.events(1)
})

test('an instance that learns of a resume looks for waiting events although it was notified before', async (t) => {
  const woken: string[] = []
  const listening = definePlugin({
    name: 'listening',
    dependencies: ['delivery'],
    register(engine) {
      const service = engine.use(deliveries)
      const wake = service.wake.bind(service)
      service.wake = (topic) => {
        woken.push(topic)
        wake(topic)
      }
    },
  })
  const shop = await startShop(t, { plugins: [listening] })
  await shop.trigger({ ...inserts, insert: { columns: '*', payload: ['id', 'state'] } })
  await shop.trigger({ ...inserts, name: 'other' })
  await shop.op('pause_event_trigger', { name: 'order' })
  woken.length = 0
  await shop.op('resume_event_trigger', { name: 'order' })
  assert.deepEqual(woken, ['events'])
  await shop.sql('alter table orders rename state to phase')
  await shop.op('reload_metadata', {})
  await shop.sql('alter table orders rename phase to state')
  woken.length = 0
  await shop.op('reload_metadata', {})
  assert.deepEqual(woken, ['events'])
})

test('an instance that does not know of a resume leaves the events to others', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(inserts)
  await shop.op('pause_event_trigger', { name: 'order' })
  await shop.sql('insert into orders (id) values (1)')
  const before = shop.engine.model
  await shop.op('resume_event_trigger', { name: 'order' })
  const { database } = await openDatabase(t, { url: shop.database.url })
  const late = new EventLedger({
    ...{ database, caller: { call: () => assert.fail('nothing is sent') }, model: () => before },
    ...{ triggerConcurrency: 0, pool: 10, interval: () => 1000, unknownTrigger: () => {} },
  })
  assert.deepEqual(await late.claim(10, []), [])
  assert.equal((await ledgerOf(shop, database).claim(10, [])).length, 1)
})

test('an instance that does not know of a pause lets the events wait', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(inserts)
  await shop.sql('insert into orders (id) values (1)')
  const before = shop.engine.model
  await shop.op('pause_event_trigger', { name: 'order' })
  const { database } = await openDatabase(t, { url: shop.database.url })
  const asked: Promise<unknown>[] = []
  const late = new EventLedger({
    database: {
      transaction: assert.fail,
      texts: () => assert.fail(),
      rows(text, values) {
        const answer = database.rows<never>(text, values)
        asked.push(answer)
        return answer
      },
    },
    ...{ caller: { call: () => assert.fail('nothing is sent') }, model: () => before },
    ...{ triggerConcurrency: 0, pool: 10, interval: () => 1000, unknownTrigger: () => {} },
  })
  late.pause()
  assert.equal((await Promise.all(asked)).length, 1)
  assert.deepEqual(await shop.sql('select next_retry_at::text from trellis.event_log'), [{ next_retry_at: 'infinity' }])
})

test('parked events that wait for nothing are found although a worker never rests', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(inserts)
  await shop.sql('insert into orders (id) select generate_series(1, 3)')
  await shop.sql(`update trellis.event_log set next_retry_at = 'infinity'
    where seq = (select min(seq) from trellis.event_log)`)
  const { database } = await openDatabase(t, { url: shop.database.url })
  const ledger = ledgerOf(shop, database)
  for (const _ of [1, 2]) assert.equal((await ledger.claim(1, [])).length, 1)
  await eventually(async () => (await ledger.claim(1, [])).length === 1)
})

test('the unpark job runs at the start and after a resume, then less and less often', () => {
  const times = new UnparkTimes()
  assert.equal(times.wait(['a', 'b'], 0), 0)
  for (const [at, next] of [
    [0, 1000],
    [1000, 2000],
    [3000, 4000],
  ] as const) {
    times.looked(at)
    assert.equal(times.wait(['a', 'b'], at), next)
  }
  // One more is paused.
  assert.equal(times.wait(['a', 'b', 'c'], 3000), 4000)
  assert.equal(times.wait(['a', 'c'], 3000), 0)
  for (let at = 3000; at < 1_000_000; at += times.wait(['a', 'c'], at)) times.looked(at)
  times.looked(2_000_000)
  assert.equal(times.wait(['a', 'c'], 2_000_000), 60_000)
})

/** As an outcome that is being recorded, whose worker claims another event next. */
const endEvent = (place: 'min' | 'max') =>
  `update trellis.event_log set delivered = true where seq = (select ${place}(seq) from trellis.event_log)`

test('pausing does not wait for an event in flight', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(inserts)
  await shop.sql('insert into orders (id) select generate_series(1, 3)')
  const { database } = await openDatabase(t, { url: shop.database.url })
  await database.transaction(async (outcome) => {
    await outcome.rows(endEvent('max'))
    await shop.op('pause_event_trigger', { name: 'order' })
    await outcome.rows(endEvent('min'))
  })
  const ledger = ledgerOf(shop, database)
  assert.deepEqual(await ledger.claim(10, []), [])
  await shop.op('resume_event_trigger', { name: 'order' })
  assert.equal((await ledger.claim(10, [])).length, 1)
})

test('a trigger is removed although a session that works on its events waits for the removal', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 }, sql: lateDeadlocks })
  await shop.trigger(inserts)
  await shop.sql('insert into orders (id) select generate_series(1, 3)')
  const { database } = await openDatabase(t, { url: shop.database.url })
  let removing: Promise<unknown> | undefined
  await database.transaction(async (outcome) => {
    await outcome.rows(survivesDeadlock)
    await outcome.rows(endEvent('max'))
    removing = shop.op('delete_event_trigger', { name: 'order' })
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually(async () => (await shop.sql(waiting)).length > 0)
    await outcome.rows(endEvent('min'))
  })
  await removing
  const log = await shop.sql('select delivered, archived from trellis.event_log order by seq')
  assert.deepEqual(log, [
    { delivered: true, archived: false },
    { delivered: false, archived: true },
    { delivered: true, archived: false },
  ])
})
