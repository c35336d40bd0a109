// Database triggers that others have dropped: a reload of the metadata at any instance creates them again.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { recordingObserver } from '../http/server.ts'
import { atEnd } from '../support/cleanup.ts'
import { connectTo } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { type Shop, startShop } from './shop.ts'

/** The triggers of the event log, and their tables. */
const placed = ({ sql }: Shop) =>
  sql(`select tgrelid::regclass::text as on, tgname::text as name from pg_trigger where not tgisinternal order by 1, 2`)

const onOrders = [{ on: 'orders', name: 'trellis_order_INSERT' }]

const insertOnly = { update: null, delete: null }

test('a dropped database trigger is created again by a reload', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(insertOnly)
  await shop.sql('drop function trellis."trellis_order_INSERT"() cascade')
  await shop.op('reload_metadata', {})
  assert.deepEqual(await placed(shop), onOrders)
  await shop.sql('insert into orders (id) values (1)')
  assert.equal((await shop.events(1))[0]?.trigger.name, 'order')
  await shop.op('run_sql', { sql: 'drop trigger "trellis_order_INSERT" on orders' })
  assert.deepEqual(await placed(shop), onOrders)
})

test('a trigger that is not in the metadata is dropped by a reload', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(insertOnly)
  await shop.sql(`create function trellis."trellis_old_INSERT"() returns trigger language plpgsql
    as 'begin perform trellis.record_event(); return null; end'`)
  await shop.sql(
    'create trigger "trellis_old_INSERT" after insert on orders execute function trellis."trellis_old_INSERT"()',
  )
  await shop.op('reload_metadata', {})
  assert.deepEqual(await placed(shop), onOrders)
})

test('a recreated table gets its trigger when an instance that knew it is reloaded', async (t) => {
  const shop = await startShop(t, { sql: 'create table other (id int primary key)' })
  await shop.trigger(insertOnly)
  const second = await startShop(t, { database: shop.database })
  await shop.sql('drop table orders; create table orders (id bigint primary key)')
  // The second one waits behind a change of the first one, and so reads everything before it begins.
  const holder = await connectTo(t, shop.database.url)
  await holder.query('begin; lock table trellis.metadata in exclusive mode')
  const waiting = (count: number) =>
    eventually(async () => {
      const rows = await shop.sql(`select 1 from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and not granted and relation = 'trellis.metadata'::regclass`)
      return rows.length === count
    })
  const change = shop.op('track_table', 'other')
  await waiting(1)
  const reload = second.op('reload_metadata', {})
  await waiting(2)
  await holder.query('commit')
  await Promise.all([change, reload])
  assert.deepEqual(await placed(shop), onOrders)
  await shop.sql('insert into orders (id) values (1)')
  await eventually(() => shop.hook.received.length + second.hook.received.length > 0)
})

test('a trigger that the database refuses is reported, and does not stop the reload', async (t) => {
  const observe = recordingObserver()
  const shop = await startShop(t, { observe })
  await shop.trigger(insertOnly)
  await shop.sql(`drop function trellis."trellis_order_INSERT"() cascade;
    create function refuse() returns event_trigger language plpgsql as $$ begin raise 'no triggers here'; end $$;
    create event trigger refuse on ddl_command_start when tag in ('CREATE TRIGGER') execute function refuse()`)
  await shop.op('reload_metadata', {})
  assert.deepEqual(await placed(shop), [])
  const told = observe.entries.filter(({ type, level }) => type === 'event-trigger' && level === 'error')
  assert.match(JSON.stringify(told), /event trigger \\"order\\" could not be brought in line/)
  await shop.sql('drop event trigger refuse')
  await shop.op('reload_metadata', {})
  assert.deepEqual(await placed(shop), onOrders)
})

test('a disabled trigger stays disabled, and is reported once', async (t) => {
  const observe = recordingObserver()
  const shop = await startShop(t, { observe })
  await shop.trigger()
  await shop.op('reload_metadata', {})
  await shop.sql('alter table orders disable trigger "trellis_order_DELETE"')
  await shop.sql('alter table orders enable always trigger "trellis_order_UPDATE"')
  for (const sql of ['select 1', 'create table other ()'])
    await shop.op('run_sql', { sql, check_metadata_consistency: true })
  const told = () => observe.entries.filter(({ type, level }) => type === 'event-trigger' && level === 'error')
  const message = 'changes are not recorded while triggers are disabled: "trellis_order_DELETE" on orders'
  assert.deepEqual(
    told().map(({ detail }) => detail),
    [{ message }],
  )
  await shop.sql('insert into orders (id) values (1); delete from orders')
  await shop.sql('alter table orders enable trigger "trellis_order_DELETE"')
  await shop.op('reload_metadata', {})
  await shop.sql('insert into orders (id) values (2); delete from orders')
  const operations = (await shop.events(3)).map(({ event }) => event.op)
  assert.deepEqual(operations.sort(), ['DELETE', 'INSERT', 'INSERT'])
  assert.equal(told().length, 1)
})

test('a trigger whose function belongs to a role without rights on the log is created again', async (t) => {
  const shop = await startShop(t)
  await shop.trigger(insertOnly)
  const role = `former_${randomBytes(6).toString('hex')}`
  await shop.sql(`create role ${role}`)
  atEnd(t, () => shop.sql(`drop owned by ${role}; drop role ${role}`))
  // As when the tables were given to another role, one by one.
  await shop.sql(`alter function trellis."trellis_order_INSERT"() owner to ${role}`)
  await shop.op('reload_metadata', {})
  await shop.sql('insert into orders (id) values (1)')
  assert.equal((await shop.events(1))[0]?.trigger.name, 'order')
  assert.deepEqual(await placed(shop), onOrders)
})
