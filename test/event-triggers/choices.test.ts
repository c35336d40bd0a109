// Features of event triggers that v1.3 lacks: conditions, order, pauses and clean-up.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

const nothing = { insert: null, update: null, delete: null }
const all = { columns: '*' }

test('a condition filters events, with values of all kinds and rows of other tables', async (t) => {
  const shop = await startShop(t, { sql: `create table vip (order_id bigint, name text)` })
  await shop.op('track_table', 'vip')
  const using = { manual_configuration: { remote_table: 'vip', column_mapping: { id: 'order_id' } } }
  await shop.op('create_array_relationship', { table: 'orders', name: 'vips', using })
  await shop.trigger({
    ...nothing,
    update: {
      ...all,
      when: { new: { state: { _eq: `it's "sent"\\` } }, _not: { old: { state: { _eq: `it's "sent"\\` } } } },
    },
  })
  await shop.trigger({
    ...{ ...nothing, name: 'large' },
    insert: { ...all, when: { _or: [{ new: { total: { _gt: 100 } } }, { new: { vips: { name: { _like: 'A%' } } } }] } },
    delete: { ...all, when: { old: { state: { _is_null: true } } } },
  })
  await shop.sql(`insert into vip values (3, 'Ann')`)
  await shop.sql(`insert into orders (id, total, state) values (1, 100, 'a'), (2, 101, null), (3, 0, 'b')`)
  await shop.sql(`update orders set total = 7 where id = 1`)
  await shop.sql(`update orders set state = 'it''s "sent"\\' where id = 1`)
  await shop.sql(`update orders set total = 8 where id = 1`)
  await shop.sql(`delete from orders`)
  const events = await shop.events(4)
  const seen = events.map(({ trigger, event: { op, data } }) => [trigger.name, op, (data.new ?? data.old)?.['id']])
  assert.deepEqual(seen.map((each) => each.join(' ')).sort(), [
    'large DELETE 2',
    'large INSERT 2',
    'large INSERT 3',
    'order UPDATE 1',
  ])
  assert.deepEqual(await shop.sql('select count(*)::int as n from trellis.event_log'), [{ n: 4 }])
})

test('a condition follows its columns', async (t) => {
  const shop = await startShop(t)
  const when = { new: { state: { _eq: 'sent' } } }
  await shop.trigger({ ...nothing, insert: { ...all, when }, ordering_key: ['id'] })
  await shop.op('run_sql', { sql: 'alter table orders rename state to phase; alter table orders rename id to number' })
  await shop.sql(`insert into orders (number, phase) values (1, 'sent'), (2, 'new')`)
  assert.equal((await shop.events(1))[0]?.event.data.new?.['number'], 1)
  const document = await shop.op<{ tables: { event_triggers: Record<string, unknown>[] }[] }>('export_metadata', {})
  const [trigger] = document.tables[0]?.event_triggers ?? []
  assert.deepEqual(trigger?.['ordering_key'], ['number'])
  assert.deepEqual(trigger?.['definition'], {
    enable_manual: true,
    insert: { ...all, when: { new: { phase: { _eq: 'sent' } } } },
  })
  const dropped = await shop.opError('run_sql', { sql: 'alter table orders drop column phase' })
  assert.deepEqual(dropped.body, {
    path: '$.args',
    error: 'cannot drop due to the following dependent objects : event-trigger orders.order',
    code: 'dependency-error',
  })
})

test('events with the same key are delivered one at a time, in order; a failure delays only its key', async (t) => {
  let failures = 2
  const atWork = new Map<number, number>()
  let together = 0
  const shop = await startShop(t, {
    async answer({ body }) {
      const { id } = JSON.parse(body).event.data.new
      atWork.set(id, (atWork.get(id) ?? 0) + 1)
      together = Math.max(together, atWork.get(id) ?? 0)
      await new Promise((done) => setTimeout(done, 5))
      atWork.set(id, (atWork.get(id) ?? 0) - 1)
      return id === 1 && failures-- > 0 ? { status: 500 } : {}
    },
  })
  const second = await startShop(t, { database: shop.database })
  await shop.trigger({
    ...{ ...nothing, update: all, ordering_key: ['id'] },
    retry_conf: { num_retries: 5, interval_sec: 0 },
  })
  await shop.sql(`insert into orders (id, total) select n, 0 from generate_series(1, 5) n`)
  for (let i = 0; i < 10; i++) await shop.sql(`update orders set total = total + 1`)
  const events = await shop.events(52)
  assert.equal(together, 1)
  for (let id = 1; id <= 5; id++) {
    const totals = events.flatMap(({ event: { data } }) => (data.new?.['id'] === id ? [data.new?.['total']] : []))
    const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert.deepEqual(totals, id === 1 ? [1, 1, ...expected] : expected)
  }
  await second.engine.close()
})

test('a trigger uses its whole concurrency, and delays no other trigger', async (t) => {
  const waiting: (() => void)[] = []
  const shop = await startShop(t, {
    answer: async ({ body }) => {
      if (JSON.parse(body).trigger.name === 'slow') await new Promise<void>((done) => waiting.push(done))
      return {}
    },
    settings: { eventsHttpPoolSize: 20, eventsFetchBatchSize: 10, eventsTriggerPoolSize: 7 },
  })
  await shop.trigger({ ...nothing, name: 'slow', insert: all, concurrency: 2 })
  await shop.sql('insert into orders (id) select generate_series(1, 50)')
  await shop.trigger({ ...nothing, name: 'quick', update: all })
  await eventually(() => waiting.length === 2)
  await shop.sql('update orders set total = 1')
  const events = await shop.events(52)
  assert.equal(events.filter(({ trigger }) => trigger.name === 'quick').length, 50)
  assert.equal(waiting.length, 2)
  for (let sent = 2; sent < 50; sent++) {
    waiting.shift()?.()
    await eventually(() => waiting.length === (sent < 50 ? 2 : 1))
  }
  for (const each of waiting) each()
  await eventually(async () => (await shop.sql('select from trellis.event_log where not delivered')).length === 0)
  assert.equal(shop.hook.received.length, 100)
})

/** A shop whose trigger `slow` waits for each call in `held`. */
async function startSlowShop(t: TestContext) {
  const held: (() => void)[] = []
  const shop = await startShop(t, {
    answer: async ({ body }) => {
      if (JSON.parse(body).trigger.name === 'slow') await new Promise<void>((done) => held.push(done))
      return {}
    },
    settings: { eventsHttpPoolSize: 20, eventsFetchBatchSize: 10 },
  })
  return { shop, held }
}

test('a slow webhook leaves room for other triggers, and takes the whole pool when it is the only trigger', async (t) => {
  const { shop, held } = await startSlowShop(t)
  await shop.trigger({ ...nothing, name: 'slow', insert: all })
  await shop.sql('insert into orders (id) select generate_series(1, 100)')
  await eventually(() => held.length === 20)
  await shop.trigger({ ...nothing, name: 'quick', update: all })
  for (const done of held.splice(0)) done()
  await eventually(() => held.length === 15)
  for (let i = 1; i <= 5; i++) {
    await shop.sql(`update orders set total = ${i} where id <= 30`)
    await eventually(
      () => shop.hook.received.filter(({ body }) => JSON.parse(body).trigger.name === 'quick').length === i * 30,
    )
  }
  assert.equal(held.length, 15)
  const count = () => shop.sql<{ n: number }>('select count(*)::int as n from trellis.event_log where not delivered')
  await eventually(async () => {
    for (const done of held.splice(0)) done()
    return (await count())[0]?.n === 0
  })
  assert.equal(shop.hook.received.length, 100 + 150)
})

test('a long backlog of a trigger without room hides no events of others, however long their transactions take', async (t) => {
  const { shop, held } = await startSlowShop(t)
  await shop.trigger({ ...nothing, name: 'slow', insert: all, concurrency: 1 })
  await shop.sql('insert into orders (id) select generate_series(1, 3000)')
  await shop.trigger({ ...nothing, name: 'quick', update: all, concurrency: 4 })
  await eventually(() => held.length === 1)
  const sql = 'update orders set total = 1 where id = 1 and (select true from pg_sleep(2))'
  let isCommitted = false
  const long = shop.op('run_sql', { sql }).then(() => {
    isCommitted = true
  })
  let changes = 0
  while (!isCommitted) {
    changes += 10
    await shop.sql(`update orders set total = ${changes} where id between 100 and 109`)
    await eventually(() => shop.hook.received.length > changes)
  }
  await long
  const events = await shop.events(1 + changes + 1)
  assert.equal(events.filter(({ trigger }) => trigger.name === 'quick').length, changes + 1)
  assert.equal(held.length, 1)
  held.shift()!()
  await eventually(() => held.length === 1)
  held.shift()!()
})

test('changes while a trigger is paused are delivered after the resume', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  await shop.op('pause_event_trigger', { name: 'order' })
  await shop.sql(`insert into orders (id) values (1)`)
  await shop.sql(`insert into orders (id) values (2)`)
  // A notification must not make the worker deliver them.
  await shop.sql(`notify trellis_delivery, 'events'`)
  await new Promise((done) => setTimeout(done, 300))
  assert.equal(shop.hook.received.length, 0)
  await shop.op('resume_event_trigger', { name: 'order' })
  assert.equal((await shop.events(2)).length, 2)
})

test('old events leave the log by a job', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({
    cleanup_config: { schedule: '* * * * *', clear_older_than: 1, clean_invocation_logs: true, batch_size: 2 },
  })
  await shop.sql('insert into orders (id) select generate_series(1, 6)')
  await shop.events(6)
  const inLog = (condition = 'true') => shop.sql(`select from trellis.event_log where ${condition}`)
  await eventually(async () => (await inLog('delivered')).length === 6)
  await shop.sql(`update trellis.event_log set created_at = now() - interval '2 hours' where seq <= 5`)
  await shop.sql(`update trellis.event_invocation_logs set created_at = now() - interval '2 hours'`)
  const jobs = await shop.sql<{ name: string }>(`select name from trellis.job where name like 'event log of%'`)
  assert.deepEqual(jobs, [{ name: 'event log of order' }])
  // As if the next minute had come.
  await shop.sql(`update trellis.job set wake_at = now() where name = 'event log of order';
    update trellis.agenda_job set next_run_at = now() where name = 'event log of order'`)
  await eventually(async () => (await inLog()).length === 1)
  await eventually(async () => (await shop.sql('select from trellis.event_invocation_logs')).length === 1)
  await shop.op('pause_event_trigger_cleanups', { event_triggers: { sources: '*' } })
  await eventually(
    async () => (await shop.sql(`select from trellis.job where name = 'event log of order'`)).length === 0,
  )
})

test('an event of a trigger that this server does not know yet is checked again soon', async (t) => {
  const shop = await startShop(t)
  const sent = `'{"id": 1}'::json, null, null, null`
  await shop.sql(`select trellis.record_event('public', 'orders', 'order', 'INSERT', null, ${sent}, false)`)
  // Claimed and released with a delay, as by an instance with an old model.
  await eventually(
    async () => (await shop.sql('select from trellis.event_log where next_retry_at > now()')).length === 1,
  )
  await shop.trigger()
  const [event] = await shop.events(1)
  assert.equal(event?.delivery_info.current_retry, 0)
})
