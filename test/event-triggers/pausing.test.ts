// Event triggers that are paused and go on, while others write, and instances that hear of it later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLedger } from '../../plugins/event-triggers/ledger.ts'
import { eventTriggersOf } from '../../plugins/event-triggers/metadata.ts'
import { UnparkTimes } from '../../plugins/event-triggers/unpark-times.ts'
import { openDatabase } from '../support/connections.ts'
import { ledgerOf } from './ledgers.ts'
import { startShop } from './shop.ts'

const inserts = { insert: { columns: '*' }, update: null, delete: null }

test('what was written while a trigger was paused, and committed after it went on, comes soon', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(inserts)
  await shop.op('pause_event_trigger', { name: 'order' })
  const { database } = await openDatabase(t, { url: shop.database.url })
  await database.transaction(async (writer) => {
    await writer.rows('insert into orders (id) values (1)')
    await shop.op('resume_event_trigger', { name: 'order' })
  })
  const began = performance.now()
  await shop.events(1)
  assert.ok(performance.now() - began < 6000, 'not after the look of each minute')
})

test('who has not heard that a trigger goes on leaves its events to others', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(inserts)
  await shop.op('pause_event_trigger', { name: 'order' })
  await shop.sql('insert into orders (id) values (1)')
  const before = eventTriggersOf(shop.engine.model)
  await shop.op('resume_event_trigger', { name: 'order' })
  const { database } = await openDatabase(t, { url: shop.database.url })
  const late = new EventLedger({
    ...{ database, caller: { call: () => assert.fail('nothing is sent') }, triggers: () => before },
    ...{ triggerConcurrency: 0, interval: () => 1000, unknownTrigger: () => {} },
  })
  assert.deepEqual(await late.claim(10, []), [])
  assert.equal((await ledgerOf(shop, database).claim(10, [])).length, 1)
})

test('what is parked is looked over at the start and when a trigger goes on, then less and less often', () => {
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
