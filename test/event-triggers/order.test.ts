// Events with an ordering key: many at once, by many writers, to several instances, and waiting events that other
// operations touch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutLifecycle } from '../../core/database/database.ts'
import type { EventLedger } from '../../plugins/event-triggers/ledger/ledger.ts'
import type { ClaimedEvent } from '../../plugins/event-triggers/ledger/ledger-statements.ts'
import type { Database } from '../../sdk/sql.ts'
import { openDatabase } from '../support/connections.ts'
import { eventually, untilNoneLeft } from '../support/waiting.ts'
import { attemptOf, ledgerOf, outcomeFor, workerOn } from './ledgers.ts'
import { type SentEvent, type Shop, startShop } from './shop.ts'

const all = { columns: '*' }
const byState = { insert: all, update: null, delete: null, ordering_key: ['state'] }

/** Orders by key, as the webhook received them and as the log has them. */
async function toldAndLogged({ hook, sql }: Shop) {
  const told = new Map<string, string[]>()
  for (const { body } of hook.received) {
    const { id, event }: SentEvent = JSON.parse(body)
    const key = String(event.data.new?.['state'])
    told.set(key, [...(told.get(key) ?? []), id])
  }
  const rows = await sql<{ id: string; key: string }>(
    `select id, payload->'data'->'new'->>'state' as key from trellis.event_log order by seq`,
  )
  const logged = new Map<string, string[]>()
  for (const { id, key } of rows) logged.set(key, [...(logged.get(key) ?? []), id])
  return { told, logged }
}

const done = (shop: Shop) =>
  untilNoneLeft(async () => (await shop.sql('select from trellis.event_log where not delivered')).length)

test('many events with one key are delivered in order, once each, along with others', async (t) => {
  const shop = await startShop(t)
  const second = await startShop(t, { database: shop.database })
  await shop.trigger(byState)
  await shop.sql(`insert into orders (id, state) select n, case when n % 10 = 0 then n::text else 'one' end
    from generate_series(1, 400) n`)
  await done(shop)
  assert.equal(shop.hook.received.length, 400)
  const { told, logged } = await toldAndLogged(shop)
  assert.deepEqual(told.get('one'), logged.get('one'))
  await second.engine.close()
})

test('events that many sessions write at once are all delivered', async (t) => {
  const shop = await startShop(t, { answer: () => sleep(Math.random() * 3, {}) })
  const second = await startShop(t, { database: shop.database })
  await shop.trigger(byState)
  let next = 0
  const write = async () => {
    for (let i = 0; i < 60; i++) {
      const id = next++
      await shop.graphql(`mutation { insert_orders_one(object: {id: ${id}, state: "key ${id % 3}"}) { id } }`)
    }
  }
  await Promise.all(Array.from({ length: 5 }, write))
  await done(shop)
  assert.equal(shop.hook.received.length, 300)
  const { told, logged } = await toldAndLogged(shop)
  // Of two concurrent events, the one that was committed first may be delivered first, even if it began later.
  for (const [key, ids] of told) assert.deepEqual(ids.toSorted(), logged.get(key)?.toSorted())
  await second.engine.close()
})

test('a waiting event is shown as pending, and is found after the events before it were deleted', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(byState)
  await shop.sql(`insert into orders (id, state) select n, 'one' from generate_series(1, 3) n`)
  const { database } = await openDatabase(t, { url: shop.database.url })
  let isLost = false
  const transaction: Database['transaction'] = async (work, options) => {
    isLost = !isLost
    const result = await database.transaction(work, options)
    if (isLost) throw new Error('the connection was lost')
    return result
  }
  const ledger = ledgerOf(shop, { ...withoutLifecycle(database), transaction })
  const [first, ...others] = await ledger.claim(10, [])
  assert.ok(first)
  assert.deepEqual(others, [])
  const logs = await shop.op<{ next_retry_at: string | null }[]>('pg_get_event_logs', { name: 'order' })
  assert.deepEqual(
    logs.map(({ next_retry_at }) => next_retry_at),
    [null, null, null],
  )
  await shop.sql(`delete from trellis.event_log where id = '${first.id}'`)
  assert.deepEqual(await ledger.claim(10, []), [])
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + 3_600_000)
  ledger.pause()
  // Beside the claims.
  const found = await eventually(async () => {
    const events = await ledger.claim(10, [])
    return events.length > 0 && events
  })
  assert.equal(found.length, 1)
  const delivered = { item: found[0]!, outcome: outcomeFor(found[0]!) }
  await assert.rejects(ledger.record([delivered]), /the connection was lost/)
  // The next one was claimed nevertheless, and a repeated record returns it.
  assert.equal((await ledger.record([delivered])).length, 1)
})

test('waiting events are found with any plan of PostgreSQL', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(byState)
  await shop.sql(`insert into orders (id, state) select n, 'one' from generate_series(1, 3) n`)
  // As it does by itself where the log is large.
  for (const join of ['hash', 'merge']) {
    await shop.sql(
      `do $$ begin execute format('alter database %I set enable_${join}join = off', current_database()); end $$`,
    )
  }
  const { database } = await openDatabase(t, { url: shop.database.url })
  const joins = "select reset_val from pg_settings where name in ('enable_hashjoin', 'enable_mergejoin')"
  assert.deepEqual(await database.rows(joins), [{ reset_val: 'off' }, { reset_val: 'off' }])
  assert.equal((await ledgerOf(shop, database).claim(10, [])).length, 1)
  const retries = await shop.sql('select next_retry_at::text from trellis.event_log order by seq')
  assert.deepEqual(retries, [{ next_retry_at: null }, { next_retry_at: 'infinity' }, { next_retry_at: 'infinity' }])
})

/** Finds nothing more, and pauses for the whole interval: at once, or after another claim if the first one took long. */
const restsAtLast = (ledger: EventLedger, held: readonly ClaimedEvent[]) =>
  eventually(async () => {
    assert.deepEqual(await ledger.claim(10, held), [])
    return ledger.pause() === 1000
  })

test('an event that waits for a locked one is checked again within moments', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger(byState)
  await shop.sql(`insert into orders (id, state) values (1, 'one'); insert into orders (id, state) values (2, 'one')`)
  const { database } = await openDatabase(t, { url: shop.database.url })
  const ledger = ledgerOf(shop, database)
  await database.transaction(async (other) => {
    // As an outcome that is being recorded.
    await other.rows(
      `update trellis.event_log set delivered = true where seq = (select min(seq) from trellis.event_log)`,
    )
    assert.deepEqual(await ledger.claim(10, []), [])
  })
  const pause = ledger.pause()
  assert.ok(pause > 0 && pause <= 100, `looks again in ${pause} ms`)
  const claimed = await ledger.claim(10, [])
  assert.equal(claimed.length, 1)
  await restsAtLast(ledger, claimed)
})

test('an event locked by a worker without capacity is checked again within moments', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger({ insert: { columns: '*' }, update: null, concurrency: 2 })
  await shop.sql('insert into orders (id) select generate_series(1, 5)')
  const { database } = await openDatabase(t, { url: shop.database.url })
  const ledger = ledgerOf(shop, database)
  await database.transaction(async (transaction) => {
    const texts: Database['texts'] = (statement, values) => transaction.texts(statement, values)
    const other = ledgerOf(shop, { texts, rows: assert.fail, transaction: assert.fail })
    assert.equal((await other.claim(10, [])).length, 2)
    // Both at once.
    assert.deepEqual(await ledger.claim(10, []), [])
  })
  const pause = ledger.pause()
  assert.ok(pause > 0 && pause <= 100, `looks again in ${pause} ms`)
  const claimed = await ledger.claim(10, [])
  assert.equal(claimed.length, 2)
  await restsAtLast(ledger, claimed)
})

test('an immediate retry and the event behind it are delivered although the database answers late', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger({ ...byState, retry_conf: { num_retries: 5, interval_sec: 0 } })
  await shop.sql(`insert into orders (id, state) select n, 'one' from generate_series(1, 3) n`)
  const { database } = await openDatabase(t, { url: shop.database.url })
  const called: string[] = []
  // A claim that runs meanwhile gets its answer first.
  const late = async <T>(answer: Promise<T>) => {
    const given = await answer
    worker.wake()
    await sleep(30)
    return given
  }
  const ledger = ledgerOf(
    shop,
    {
      rows: (text, values) => database.rows(text, values),
      texts: (statement, values, options) => {
        const rows = database.texts(statement, values, options)
        return statement.text.includes('event_invocation_logs') ? late(rows) : rows
      },
      transaction: (work, options) => late(database.transaction(work, options)),
    },
    async (_, { body }) => {
      const { event }: SentEvent = JSON.parse(body)
      called.push(String(event.data.new?.['id']))
      return attemptOf({ succeeded: called.length > 2 })
    },
  )
  const worker = workerOn(ledger)
  worker.start()
  await done(shop)
  assert.deepEqual(called, ['1', '1', '1', '2', '3'])
  await worker.stop(1000)
})

test('equal times are one key under any session settings', async (t) => {
  const shop = await startShop(t, { sql: `alter table orders add day date, add noted timestamp` })
  await shop.trigger({ ordering_key: ['placed_at', 'day', 'noted'] })
  const insert = (settings: string, n: number) =>
    shop.sql(`${settings}; insert into orders (id, placed_at, day, noted)
      values (${n}, '2020-02-03 04:05:06Z', '2020-02-03', '2020-02-03 04:05:06')`)
  await insert(`set datestyle = german; set timezone = 'Asia/Tokyo'`, 1)
  await insert(`set datestyle = sql; set timezone = 'America/New_York'`, 2)
  assert.equal((await shop.sql('select distinct order_key from trellis.event_log')).length, 1)
})

test('a key of any length never prevents a write', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(byState)
  const key = (end: string) => `(select string_agg(md5(n::text), '') || '${end}' from generate_series(1, 1000) n)`
  for (const [id, end] of ['a', 'b', 'a'].entries()) {
    await shop.sql(`insert into orders (id, state) values (${id}, ${key(end)})`)
  }
  await done(shop)
  const { told, logged } = await toldAndLogged(shop)
  assert.deepEqual(told, logged)
  assert.equal((await shop.sql('select distinct order_key from trellis.event_log')).length, 2)
})
