// A transaction keeps an old snapshot open, so the index entries of finished events cannot be removed. Claims begin after
// them, and still find every event that becomes due before that place.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OrderBounds } from '../../plugins/event-triggers/ledger/order-bounds.ts'
import { openDatabase } from '../support/connections.ts'
import { connectTo } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { ledgerOf } from './ledgers.ts'
import { type SentEvent, type Shop, startShop } from './shop.ts'

const nothing = { insert: null, update: null, delete: null }
const all = { columns: '*' }

/** Enough for claims that read all of them to be costly. */
const finished = 60_000

/** Opens a snapshot, and then records and finishes many events of an hour ago. Gives the end of the snapshot. */
async function holdSnapshot(t: TestContext, { database, sql }: Shop): Promise<() => Promise<unknown>> {
  const holder = await connectTo(t, database.url)
  await holder.query('begin isolation level repeatable read; select 1')
  await sql(`insert into trellis.event_log (schema_name, table_name, trigger_name, payload, created_at, locked)
      select 'public', 'orders', 'finished', '{}', now() - interval '1 hour', now() + interval '50 s'
      from generate_series(1, ${finished});
    update trellis.event_log set delivered = true where trigger_name = 'finished'`)
  return () => holder.query('commit')
}

/** The ids of the orders that the webhook received. */
const told = ({ hook }: Shop): unknown[] =>
  hook.received.map(({ body }) => (JSON.parse(body) as SentEvent).event.data.new?.['id'])

/** Lets the worker claim until it begins behind the finished events. */
async function settle(shop: Shop) {
  for (let id = 1000; id < 1010; id++) {
    await shop.sql(`insert into orders (id) values (${id})`)
    await eventually(() => told(shop).includes(id))
  }
}

test('claims begin behind the entries of finished events while a snapshot is held', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger({ ...nothing, insert: all })
  const release = await holdSnapshot(t, shop)
  const { database } = await openDatabase(t, { url: shop.database.url })
  const begins: (string | null)[] = []
  const ledger = ledgerOf(shop, {
    rows: database.rows.bind(database),
    transaction: database.transaction.bind(database),
    texts: (statement, values, options) => {
      begins.push(values[5] as string | null)
      return database.texts(statement, values, options)
    },
  })
  const claimOf = async (id: number) => {
    await shop.sql(`insert into orders (id) values (${id})`)
    return eventually(async () => (await ledger.claim(10, [])).map(({ payload }) => JSON.parse(payload).data.new.id)[0])
  }
  // The first claim prepares the statement. The second one shows the cost of reading from the first due event.
  for (const id of [0, 1]) assert.equal(await claimOf(id), id)
  begins.length = 0
  for (const id of [2, 3, 4, 5]) assert.equal(await claimOf(id), id)
  // After a slow claim on a busy machine a read from the start seems cheap, once.
  const early = begins.filter((since) => since === null || Number(since) >= 60)
  assert.ok(early.length <= 1, `seconds before now at which claims begin: ${begins}`)
  // After the end of the snapshot, the entries are removed, and claims find late events by themselves.
  await release()
  await shop.sql('vacuum trellis.event_log')
  await eventually(async () => {
    begins.length = 0
    await ledger.claim(10, [])
    return begins[0] === null
  })
})

test('a transaction that wrote long before its end is found while a snapshot is held', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ ...nothing, insert: all })
  await holdSnapshot(t, shop)
  await settle(shop)
  const late = await connectTo(t, shop.database.url)
  await late.query('begin; insert into orders (id) values (1)')
  for (let id = 2; id < 6; id++) {
    await sleep(700)
    await shop.sql(`insert into orders (id) values (${id})`)
    await eventually(() => told(shop).includes(id))
  }
  await late.query('commit')
  await eventually(() => told(shop).includes(1))
})

test('expired and returned leases, and events of an hour ago, are found while a snapshot is held', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ ...nothing, insert: all })
  await holdSnapshot(t, shop)
  await settle(shop)
  await shop.sql(`
    begin;
    insert into orders (id) values (1), (2), (3);
    update trellis.event_log set created_at = now() - interval '1 hour', locked_by = 'a killed instance',
      locked = case payload -> 'data' -> 'new' ->> 'id' when '1' then now() + interval '2 s' else now() + interval '50 s' end
      where payload -> 'data' -> 'new' ->> 'id' in ('1', '2');
    update trellis.event_log set created_at = now() - interval '1 hour' where payload -> 'data' -> 'new' ->> 'id' = '3';
    commit`)
  await eventually(() => told(shop).includes(3) && told(shop).includes(1))
  assert.ok(!told(shop).includes(2))
  await shop.sql(`update trellis.event_log set locked = null, locked_by = null where locked_by = 'a killed instance'`)
  await eventually(() => told(shop).includes(2))
})

test('events of a paused trigger, retries and ordering keys work while a snapshot is held', async (t) => {
  let refusals = 3
  const shop = await startShop(t, {
    answer: ({ body }) => {
      const { event }: SentEvent = JSON.parse(body)
      return event.data.new?.['id'] === 7 && refusals-- > 0 ? { status: 500 } : {}
    },
  })
  await shop.trigger({ ...nothing, insert: all, retry_conf: { num_retries: 5, interval_sec: 1 } })
  await shop.trigger({ ...nothing, name: 'state', update: all, ordering_key: ['state'] })
  await holdSnapshot(t, shop)
  await settle(shop)
  await shop.op('pause_event_trigger', { name: 'order' })
  await shop.sql(`insert into orders (id, state) select n, n % 3 from generate_series(1, 9) n`)
  const long = await connectTo(t, shop.database.url)
  await long.query('begin; insert into orders (id) values (10)')
  await sleep(1500)
  assert.ok(!told(shop).includes(1))
  await shop.op('resume_event_trigger', { name: 'order' })
  await eventually(() => [1, 2, 3, 4, 5, 6, 7, 8, 9].every((id) => told(shop).includes(id)))
  await long.query('commit')
  await eventually(() => told(shop).includes(10))
  await eventually(() => told(shop).filter((id) => id === 7).length === 4)
  shop.hook.received.length = 0
  for (let i = 1; i <= 10; i++) await shop.sql(`update orders set total = ${i} where id < 10`)
  const events = await shop.events(90)
  for (const state of ['0', '1', '2']) {
    const totals = events.flatMap(({ event: { data } }) => (data.new?.['state'] === state ? [data.new['total']] : []))
    assert.deepEqual(
      totals,
      totals.toSorted((a, b) => Number(a) - Number(b)),
    )
    assert.equal(totals.length, 30)
  }
})

test('events with a key wait for one that was committed late while a snapshot is held', async (t) => {
  let isRefused = true
  const shop = await startShop(t, {
    answer: ({ body }) =>
      (JSON.parse(body) as SentEvent).event.data.new?.['id'] === 1 && isRefused ? { status: 500 } : {},
  })
  const retry_conf = { num_retries: 100, interval_sec: 1 }
  await shop.trigger({ ...nothing, insert: all, ordering_key: ['state'], retry_conf })
  await holdSnapshot(t, shop)
  await settle(shop)
  const late = await connectTo(t, shop.database.url)
  await late.query(`begin; insert into orders (id, state) values (1, 'key')`)
  for (let id = 2; id < 8; id++) {
    await sleep(500)
    await shop.sql(`insert into orders (id, state) values (${id}, 'key')`)
    await eventually(() => told(shop).includes(id))
  }
  await late.query('commit')
  await eventually(() => told(shop).includes(1))
  await shop.sql(`insert into orders (id, state) values (8, 'key'), (9, 'another key')`)
  await eventually(() => told(shop).includes(9))
  await eventually(() => told(shop).filter((id) => id === 1).length >= 3)
  assert.ok(!told(shop).includes(8))
  isRefused = false
  await eventually(() => told(shop).includes(8))
  await shop.op('redeliver_event', {
    event_id: (JSON.parse(shop.hook.received[0]!.body) as SentEvent).id,
  })
  await eventually(() => told(shop).filter((id) => id === 1000).length === 2)
})

test('a number becomes a bound when the transactions of its time have ended, and no open event is before it', () => {
  const bounds = new OrderBounds()
  const looked = (last: number, xmin: number, xmax: number, ...open: { name: string; seq: number }[]) => {
    bounds.looked({ last, xmin, xmax, open: open.map((each) => JSON.stringify(each)) })
    return bounds.bounds
  }
  const none = { names: [], seqs: [], others: 0 }
  assert.deepEqual(looked(10, 100, 105), none)
  assert.deepEqual(looked(20, 101, 110), none)
  assert.deepEqual(looked(30, 109, 120), none)
  assert.deepEqual(looked(40, 110, 130, { name: 'a', seq: 4 }, { name: 'b', seq: 35 }), {
    ...{ names: ['a'], seqs: [4], others: 11 },
  })
  assert.deepEqual(looked(50, 129, 140), { ...none, others: 11 })
  assert.deepEqual(looked(50, 130, 140), { ...none, others: 31 })
  bounds.claimed('c', 40)
  bounds.claimed('c', 7)
  assert.deepEqual(bounds.bounds, { names: ['c'], seqs: [7], others: 31 })
  assert.deepEqual(looked(3, 150, 160), none)
})

test('an instance that was away delivers the events of that time while a snapshot is held', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ ...nothing, insert: all })
  await holdSnapshot(t, shop)
  await settle(shop)
  // Its connections are cut, and no notifications arrive meanwhile.
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state is distinct from 'idle in transaction'`
  await shop.sql(cut)
  await shop.sql(`insert into orders (id) values (1)`)
  await shop.sql(cut)
  await shop.sql(`insert into orders (id) values (2)`)
  await eventually(() => [1, 2].every((id) => told(shop).includes(id)))
  const second = await startShop(t, { database: shop.database })
  await shop.engine.close()
  await second.sql(`insert into orders (id) values (3)`)
  await eventually(() => told(shop).includes(3))
})
