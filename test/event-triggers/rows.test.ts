// Rows in payloads, with any values, written by any session.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { type Shop, startShop } from './shop.ts'

/** The rows of the last events, the older first. */
async function lastRows({ sql }: Shop, count: number) {
  const read = `select payload #> '{data,new}' as row from trellis.event_log order by seq desc limit $1`
  return (await sql(read, [count])).map(({ row }) => row as Record<string, unknown> | null).reverse()
}

/** The functions of triggers, and which transactions made them. */
const functionsOf = ({ sql }: Shop) =>
  sql(`select proname, xmin::text from pg_proc where pronamespace = 'trellis'::regnamespace order by 1`)

const update = (columns: readonly string[], payload = columns) => ({
  ...{ insert: null, delete: null, update: { columns, payload } },
})

test('columns may have the names that the triggers in the database use', async (t) => {
  const names = ['listed', 'old', 'new', 'old_data', 'new_data', 'order_key', 'is_wanted', 'base', 'tg_op', '__proto__']
  const columns = names.map((name) => `"${name}" int`).join(', ')
  const shop = await startShop(t, { sql: `create table odd (id int primary key, ${columns})` })
  await shop.op('track_table', 'odd')
  await shop.trigger({ table: 'odd', ...update(names), ordering_key: names })
  await shop.sql(`insert into odd (id) values (1); update odd set ${names.map((name, i) => `"${name}" = ${i}`)}`)
  const [row] = await lastRows(shop, 1)
  assert.deepEqual(Object.entries(row ?? {}), Object.entries(Object.fromEntries(names.map((name, i) => [name, i]))))
})

test('a session that wrote rows continues when a listed column gets another type', async (t) => {
  const shop = await startShop(t)
  await shop.trigger({ ...update(['state'], ['id', 'state']), ordering_key: ['state'] })
  await shop.sql(`insert into orders (id, state) values (1, '1'); update orders set state = '2'`)
  await shop.sql(`alter table orders alter state type int using state::int`)
  await shop.sql(`update orders set state = 3`)
  // Until the trigger is created again, the whole row is sent.
  assert.deepEqual((await lastRows(shop, 1))[0]?.['placed_at'], '2020-01-02T03:04:05+00:00')
  await shop.op('reload_metadata', {})
  await shop.sql(`update orders set state = 4`)
  assert.deepEqual(await lastRows(shop, 1), [{ id: 1, state: 4 }])
  await shop.op('run_sql', { sql: 'alter table orders alter state type bigint' })
  await shop.sql(`update orders set state = 5; update orders set total = 1`)
  assert.deepEqual(await lastRows(shop, 1), [{ id: 1, state: 5 }])
})

const values = {
  f4: `'0.1'`,
  f8: '0.1::float8 + 0.2::float8',
  fs: 'array[1.1::float8 + 2.2::float8]',
  p: 'point(0.1::float8 + 0.2::float8, 1)',
  b: `'\\xdeadbeef00'`,
  i: `'1 year 2 days 03:04:05'`,
  tr: `tsrange('2020-02-03', null)`,
  c: `row(0.1::float8 + 0.2::float8, '\\x00')`,
}
const types = `f4 float4, f8 float8, fs float8[], p point, b bytea, i interval, tr tsrange, c compound`
const insertion = `insert into kinds (${Object.keys(values)}) values (${Object.values(values)})`
const inStyle = `set extra_float_digits = -9; set bytea_output = escape; set IntervalStyle = sql_standard;
  set DateStyle = German`

test('an event does not depend on the settings of the writing session', async (t) => {
  const shop = await startShop(t, {
    sql: `create type compound as (f float8, b bytea); create table kinds (${types})`,
  })
  await shop.op('track_table', 'kinds')
  await shop.trigger({ name: 'all', table: 'kinds', update: null, delete: null })
  await shop.trigger({
    ...{ name: 'listed', table: 'kinds', update: null, delete: null },
    insert: { columns: '*', payload: ['f8', 'tr'] },
  })
  await shop.sql(insertion)
  await shop.sql(`${inStyle}; ${insertion}`)
  const expected = {
    ...{ f4: 0.1, f8: 0.30000000000000004, fs: [3.3000000000000003], p: '(0.30000000000000004,1)' },
    ...{ b: '\\xdeadbeef00', i: '1 year 2 days 03:04:05', tr: '["2020-02-03 00:00:00",)' },
    c: { f: 0.30000000000000004, b: '\\x00' },
  }
  const { f8, tr } = expected
  assert.deepEqual(await lastRows(shop, 4), [expected, { f8, tr }, expected, { f8, tr }])
  const made = await functionsOf(shop)
  await shop.engine.close()
  const again = await startShop(t, { database: shop.database })
  assert.deepEqual(await functionsOf(again), made)
  await again.engine.close()
})

test('virtual generated columns are sent, and may be listed', async (t) => {
  const shop = await startShop(t)
  const virtual = `alter table orders add order_key text generated always as (state || '!') virtual`
  await shop.op('run_sql', { sql: virtual })
  const when = { new: { order_key: { _neq: 'no!' } } }
  await shop.trigger({
    ...{ name: 'order', delete: null, insert: { columns: '*', when } },
    update: { columns: ['order_key'], payload: ['id', 'order_key'] },
  })
  await shop.sql(`insert into orders (id, state) values (1, 'a'), (2, 'no')`)
  await shop.sql(`update orders set total = 1; update orders set state = 'b' where id = 1`)
  const rows = await lastRows(shop, 5)
  assert.deepEqual([rows.length, rows[0]?.['order_key'], rows[1]], [2, 'a!', { id: 1, order_key: 'b!' }])
})

test('conditions ignore case where columns do', async (t) => {
  const shop = await startShop(t, {
    sql: 'create schema "order"; create extension citext schema "order"; create table people (id int, mail "order".citext)',
  })
  await shop.op('track_table', 'people')
  const when = { new: { mail: { _in: ['Ada@Example.org'] } } }
  await shop.trigger({ table: 'people', insert: { columns: '*', when }, update: null, delete: null })
  await shop.sql(`insert into people values (1, 'ada@example.ORG'), (2, 'bob@example.org')`)
  assert.deepEqual(await lastRows(shop, 2), [{ id: 1, mail: 'ada@example.ORG' }])
  await eventually(() => shop.hook.received.length === 1)
  const made = await functionsOf(shop)
  await shop.op('create_event_trigger', {
    name: 'by_hand',
    table: 'people',
    enable_manual: true,
    webhook: shop.hook.url,
  })
  assert.deepEqual(await functionsOf(shop), made)
})

test('listed columns are compared by value, not by their operators', async (t) => {
  const shop = await startShop(t, {
    sql: `create extension if not exists citext;
      create table shape (id int, area box, round circle, way path, price numeric, name citext);
      insert into shape values (1, '(0,0),(1,1)', '<(0,0),1>', '[(0,0),(1,1)]', 1.0, 'a')`,
  })
  await shop.op('track_table', 'shape')
  for (const column of ['area', 'round', 'way', 'price', 'name']) {
    await shop.trigger({ name: column, table: 'shape', ...update([column]) })
  }
  await shop.sql(`update shape set area = '(5,5),(6,6)'; update shape set round = '<(5,5),1>';
    update shape set way = '[(5,5),(6,6)]'; update shape set price = 1.00; update shape set price = null;
    update shape set name = 'A'; update shape set name = 'b'`)
  const named = await shop.sql('select trigger_name as name from trellis.event_log order by seq')
  assert.deepEqual(
    named.map(({ name }) => name),
    ['area', 'round', 'way', 'price', 'name'],
  )
})

test('trigger_on_replication makes events of changes that arrive by replication', async (t) => {
  const shop = await startShop(t, {
    sql: `create table stock (id int, part int) partition by list (part);
      create table stock_1 partition of stock for values in (1)`,
  })
  await shop.op('track_table', 'stock')
  const only = { update: null, delete: null }
  const replicate = (sql: string) =>
    shop.sql(`set session_replication_role = replica; ${sql}; reset session_replication_role`)
  const firing = async () => {
    const rows = await shop.sql(
      `select tgrelid::regclass::text || ' ' || tgenabled::text as text from pg_trigger where not tgisinternal order by 1`,
    )
    return rows.map(({ text }) => text)
  }
  const recorded = async () => {
    const rows = await shop.sql('select trigger_name as name from trellis.event_log order by trigger_name')
    return rows.map(({ name }) => name)
  }
  await shop.trigger({ name: 'all', ...only, trigger_on_replication: true })
  await shop.trigger({ name: 'own', ...only, trigger_on_replication: false })
  await shop.trigger({ name: 'parts', table: 'stock', ...only, trigger_on_replication: true })
  assert.deepEqual(await firing(), ['orders A', 'orders O', 'stock A', 'stock_1 A'])
  await replicate('insert into orders (id) values (1); insert into stock values (1, 1)')
  assert.deepEqual(await recorded(), ['all', 'parts'])
  await shop.sql('insert into orders (id) values (2)')
  assert.deepEqual(await recorded(), ['all', 'all', 'own', 'parts'])
  const { tables } = await shop.op<{ tables: { event_triggers: { name: string; trigger_on_replication?: true }[] }[] }>(
    'export_metadata',
    {},
  )
  assert.deepEqual(
    tables[0]!.event_triggers.map(({ name, trigger_on_replication }) => [name, trigger_on_replication]),
    [
      ['all', true],
      ['own', undefined],
    ],
  )

  // Others are not changed, and a reload repairs those that should fire.
  await shop.sql(`alter table orders enable always trigger "trellis_own_INSERT", enable trigger "trellis_all_INSERT";
    alter table stock disable trigger "trellis_parts_INSERT"`)
  await shop.op('reload_metadata', {})
  assert.deepEqual(await firing(), ['orders A', 'orders A', 'stock D', 'stock_1 D'])
  await shop.trigger({ name: 'all', ...only, replace: true })
  await shop.trigger({ name: 'own', ...only, replace: true })
  // They do the same now, so that they share a database trigger, that of the first.
  assert.deepEqual(await firing(), ['orders O', 'stock D', 'stock_1 D'])
  await shop.trigger({ name: 'all', ...only, replace: true, trigger_on_replication: true })
  assert.deepEqual(await firing(), ['orders A', 'orders O', 'stock D', 'stock_1 D'])
})
