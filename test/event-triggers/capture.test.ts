import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

const insert = (objects: string) => `mutation { insert_orders(objects: ${objects}) { affected_rows } }`

test('a change through GraphQL is sent with its session and the trace of the request', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ headers: [{ name: 'X-Key', value: 'k' }] })
  const headers = { 'x-service-user-id': '7', traceparent: `00-${'a'.repeat(31)}b-${'c'.repeat(16)}-01` }
  const answer = await shop.graphql(insert('[{id: 1, total: 12.5, state: "new"}]'), {}, { role: 'admin', headers })
  assert.deepEqual(answer, { data: { insert_orders: { affected_rows: 1 } } })
  const [event] = await shop.events(1)
  const { id, created_at, event: change, ...rest } = event!
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.deepEqual(rest, {
    trigger: { name: 'order' },
    table: { schema: 'public', name: 'orders' },
    delivery_info: { current_retry: 0, max_retries: 0 },
  })
  assert.equal(change.op, 'INSERT')
  assert.deepEqual(change.data, {
    old: null,
    new: { id: 1, total: 12.5, state: 'new', details: null, placed_at: change.data.new?.['placed_at'] },
  })
  assert.deepEqual(change.session_variables, { 'x-service-role': 'admin', 'x-service-user-id': '7' })
  assert.ok(change.trace_context?.['trace_id'])
  const [call] = shop.hook.received
  assert.equal(call?.method, 'POST')
  assert.equal(call?.headers['content-type'], 'application/json')
  assert.equal(call?.headers['content-length'], String(Buffer.byteLength(call!.body)))
  assert.equal(call?.headers['x-key'], 'k')
  assert.equal(call?.headers['x-b3-traceid'], `${'a'.repeat(31)}b`)
})

test('changes outside of the server are sent, and numbers keep their digits', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  await shop.sql(`insert into orders values (9007199254740993, 12345678901234567890.12345678901234567890, 'ü', null)`)
  await shop.sql(`update orders set state = 'sent'`)
  await shop.sql('delete from orders')
  const events = await shop.events(3)
  assert.deepEqual(events.map(({ event }) => event.op).sort(), ['DELETE', 'INSERT', 'UPDATE'])
  for (const { event } of events) assert.deepEqual([event.session_variables, event.trace_context], [null, null])
  for (const { body } of shop.hook.received) {
    assert.match(body, /"id":9007199254740993,"total":12345678901234567890\.12345678901234567890,/)
  }
  const update = events.find(({ event }) => event.op === 'UPDATE')
  assert.deepEqual([update?.event.data.old?.['state'], update?.event.data.new?.['state']], ['ü', 'sent'])
  const deleted = events.find(({ event }) => event.op === 'DELETE')
  assert.equal(deleted?.event.data.new, null)
})

test('an update counts if a listed column differs; a rollback leaves no event', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({
    insert: null,
    delete: null,
    update: { columns: ['state', 'details'], payload: ['id', 'state'] },
  })
  await shop.sql(`insert into orders values (1, 1, 'a', '{"a":1}'), (2, 2, null, null)`)
  await shop.sql(`update orders set total = 5`)
  await shop.sql(`update orders set state = state, details = details`)
  await shop.sql(`begin; update orders set state = 'x'; rollback`)
  await shop.sql(`update orders set details = '{"a": 1}' where id = 1`)
  await shop.sql(`update orders set state = 'b' where id = 2`)
  const events = await shop.events(2)
  assert.deepEqual(
    events.map(({ event }) => event.data).sort((a, b) => Number(a.new?.['id']) - Number(b.new?.['id'])),
    [
      { old: { id: 1, state: 'a' }, new: { id: 1, state: 'a' } },
      { old: { id: 2, state: null }, new: { id: 2, state: 'b' } },
    ],
  )
  assert.deepEqual(await shop.sql('select count(*)::int as n from trellis.event_log'), [{ n: 2 }])
})

test('a trigger never prevents a write, even with changed columns or odd values', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({
    insert: { columns: ['state'], payload: ['id', 'state'] },
    update: { columns: ['state'], payload: ['id', 'state'] },
    delete: null,
  })
  await shop.sql(`alter table orders rename state to phase`)
  await shop.sql(`insert into orders values (1, 1, 'a', '{"nul": "\\u0000"}')`)
  await shop.sql(`update orders set phase = 'b'`)
  await shop.sql(`select set_config('service.user', 'no json', false); insert into orders values (2, 1, 'a')`)
  const events = await shop.events(3)
  const whole = events.find(({ event }) => event.op === 'INSERT' && event.data.new?.['id'] === 1)
  assert.deepEqual(whole?.event.data.new?.['details'], { nul: '\0' })
  assert.ok(events.every(({ event }) => event.session_variables === null))
})

test('columns that are added, renamed and dropped are followed', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ insert: { columns: '*', payload: ['id', 'state'] }, update: null, delete: null })
  await shop.op('run_sql', { sql: 'alter table orders rename column state to phase' })
  await shop.sql(`insert into orders (id, phase) values (1, 'a')`)
  assert.deepEqual((await shop.events(1))[0]?.event.data.new, { id: 1, phase: 'a' })
  const refused = await shop.opError('run_sql', { sql: 'alter table orders drop column phase' })
  assert.deepEqual(refused, {
    status: 400,
    body: {
      path: '$.args',
      error: 'cannot drop due to the following dependent objects : event-trigger orders.order',
      code: 'dependency-error',
    },
  })
  await shop.op('run_sql', { sql: 'alter table orders rename to purchase' })
  await shop.sql(`insert into purchase (id, phase) values (2, 'b')`)
  assert.deepEqual((await shop.events(2))[1]?.table, { schema: 'public', name: 'purchase' })
  await shop.op('run_sql', { sql: 'alter table purchase drop column phase', cascade: true })
  await shop.sql(`insert into purchase (id) values (3)`)
  assert.deepEqual(await triggersIn(shop), [])
})

const triggersIn = ({ sql }: { readonly sql: (text: string) => Promise<Record<string, unknown>[]> }) =>
  sql(`select tgname from pg_trigger where not tgisinternal union all
    select proname from pg_proc where pronamespace = 'trellis'::regnamespace and prorettype = 'trigger'::regtype`)

test('removing an event trigger in any way removes its database objects', async (t) => {
  const shop = await startShop(t, { answer: () => ({ status: 500 }) })
  const gone = async (how: () => Promise<unknown>) => {
    await shop.trigger({ retry_conf: { num_retries: 5, interval_sec: 600 } })
    assert.equal((await triggersIn(shop)).length, 6)
    await shop.sql(`insert into orders (id) values (1)`)
    await eventually(async () => (await shop.sql('select from trellis.event_log where tries = 1')).length === 1)
    await how()
    assert.deepEqual(await triggersIn(shop), [])
    assert.deepEqual(await shop.sql('select distinct archived from trellis.event_log'), [{ archived: true }])
    await shop.sql('drop table if exists orders; create table orders (id bigint); truncate trellis.event_log cascade')
    await shop.op('replace_metadata', { version: 2, tables: [{ table: 'orders' }] })
  }
  await gone(() => shop.op('delete_event_trigger', { name: 'order' }))
  await gone(() => shop.op('untrack_table', { table: 'orders' }))
  await gone(() => shop.op('clear_metadata', {}))
  await gone(() => shop.op('replace_metadata', { version: 2, tables: [] }))
  await gone(() => shop.op('run_sql', { sql: 'drop table orders', cascade: true }))
})

test('in a bulk it takes effect from its position', async (t) => {
  const shop = await startShop(t)
  const inserting = (id: number) => ({ type: 'insert', args: { table: 'orders', objects: [{ id }] } })
  const running = (sql: string) => ({ type: 'run_sql', args: { sql } })
  const making = (args: object) => {
    const trigger = { name: 'order', table: 'orders', webhook: shop.hook.url, ...args }
    return { type: 'create_event_trigger', args: trigger }
  }
  const all = { columns: '*' }
  await shop.op('bulk', [
    inserting(1),
    making({ insert: all }),
    inserting(2),
    running('insert into orders (id) values (3)'),
    making({ delete: all, replace: true }),
    running('insert into orders (id) values (4); delete from orders where id = 3'),
    { type: 'delete', args: { table: 'orders', where: { id: 4 } } },
    { type: 'delete_event_trigger', args: { name: 'order' } },
    running('delete from orders where id = 2'),
    running('create table other (id int)'),
    { type: 'track_table', args: 'other' },
    making({ table: 'other', insert: all }),
    running('insert into other values (5)'),
  ])
  const logged = await shop.sql(`select payload ->> 'op' as op, archived,
      coalesce(payload #> '{data,new,id}', payload #> '{data,old,id}')::text as id from trellis.event_log order by seq`)
  assert.deepEqual(
    logged.map(({ op, id, archived }) => [op, id, archived]),
    [
      ['INSERT', '2', true],
      ['INSERT', '3', true],
      ['DELETE', '3', true],
      ['DELETE', '4', true],
      ['INSERT', '5', false],
    ],
  )
  assert.equal((await shop.events(1))[0]?.event.data.new?.['id'], 5)
})

test('a new trigger of the same name in one bulk does not deliver old events', async (t) => {
  const shop = await startShop(t, { answer: () => ({ status: 503, headers: { 'retry-after': '1' } }) })
  await shop.trigger()
  await shop.sql('insert into orders (id) values (1)')
  await shop.events(1)
  const anew = { name: 'order', table: 'orders', insert: { columns: '*' }, webhook: shop.hook.url }
  await shop.op('bulk', [
    { type: 'delete_event_trigger', args: { name: 'order' } },
    { type: 'create_event_trigger', args: anew },
  ])
  await shop.sql('insert into orders (id) values (2)')
  const ids = (await shop.events(3)).map(({ event }) => event.data.new?.['id'])
  assert.deepEqual(ids, [1, 2, 2])
  const archived = await shop.sql('select archived from trellis.event_log order by seq')
  assert.deepEqual(archived, [{ archived: true }, { archived: false }])
})

test('a trigger moves to another table, and stays so after a restart', async (t) => {
  const shop = await startShop(t, { sql: 'create table other (id int)' })
  await shop.trigger({ update: null, delete: null })
  const document = await shop.op<{ tables: { table: unknown; event_triggers: unknown }[] }>('export_metadata', {})
  const event_triggers = document.tables[0]?.event_triggers
  await shop.op('replace_metadata', { version: 2, tables: [{ table: 'orders' }, { table: 'other', event_triggers }] })
  const placed = () => shop.sql(`select tgrelid::regclass::text as on, tgname from pg_trigger where not tgisinternal`)
  const there = [{ on: 'other', tgname: 'trellis_order_INSERT' }]
  assert.deepEqual(await placed(), there)
  await shop.engine.close()
  await shop.sql('drop function trellis."trellis_order_INSERT"() cascade')
  const again = await startShop(t, { database: shop.database })
  assert.deepEqual(await placed(), there)
  await shop.sql(`insert into other values (1)`)
  assert.equal((await shop.events(1))[0]?.table.name, 'other')
  await again.engine.close()
})

test('long similar names get separate database triggers; partitions name themselves', async (t) => {
  const shop = await startShop(t, {
    sql: `create table parted (id int, at int) partition by range (at);
      create table parted_a partition of parted for values from (0) to (10)`,
  })
  await shop.op('track_table', 'parted')
  const long = 'a'.repeat(60)
  for (const end of ['x', 'y']) await shop.trigger({ name: long + end, table: 'parted', update: null, delete: null })
  await shop.sql('insert into parted values (1, 1)')
  const events = await shop.events(2)
  assert.deepEqual(events.map(({ trigger }) => trigger.name).sort(), [`${long}x`, `${long}y`])
  assert.deepEqual(events[0]?.table, { schema: 'public', name: 'parted_a' })
})

test('a trigger moves from a table to its partition and back', async (t) => {
  const shop = await startShop(t, {
    sql: `create table parted (id int) partition by range (id);
      create table parted_a partition of parted for values from (0) to (10);
      create table parted_b partition of parted for values from (10) to (20)`,
  })
  const definition = { enable_manual: false, insert: { columns: '*' } }
  const event_triggers = [{ name: 'order', definition, webhook: shop.hook.url }]
  const place = async (chosen: string) => {
    const tables = ['parted', 'parted_a'].map((table) => ({ table, ...(table === chosen && { event_triggers }) }))
    await shop.op('replace_metadata', { version: 2, tables })
    const placed = await shop.sql(`select tgrelid::regclass::text as on from pg_trigger
      where tgname = 'trellis_order_INSERT' order by 1`)
    return placed.map(({ on }) => on)
  }
  const everywhere = ['parted', 'parted_a', 'parted_b']
  assert.deepEqual(await place('parted'), everywhere)
  assert.deepEqual(await place('parted_a'), ['parted_a'])
  await shop.sql('insert into parted values (1), (11)')
  assert.deepEqual(await place('parted'), everywhere)
  await shop.sql('insert into parted values (2), (12)')
  const sent = (await shop.events(3)).map(({ event }) => Number(event.data.new?.['id']))
  assert.deepEqual(
    sent.sort((a, b) => a - b),
    [1, 2, 12],
  )
})
