import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table station (id int primary key);
  create table temperature (id int primary key, station_id int not null references station, degrees int);
  create table temperature_max (id int primary key, year int);
  create table station_bool_exp (id int primary key, code text);
  insert into station values (1), (2);
  insert into temperature values (1, 1, 5), (2, 2, 30), (3, 1, 9);
  insert into temperature_max values (1, 1990), (2, 2020);
  insert into station_bool_exp values (1, 'x')`

const relationship = {
  table: 'station',
  name: 'temperatures',
  using: { foreign_key_constraint_on: { table: 'temperature', column: 'station_id' } },
}

test('rows of "temperature_max" are ordered, and rows by the max of their temperatures', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  for (const table of ['station', 'temperature', 'temperature_max']) await op('track_table', table)
  await op('create_array_relationship', relationship)
  const stations = '{ station(order_by: {temperatures_aggregate: {max: {degrees: desc}}}) { id } }'
  const records = '{ temperature_max(order_by: {year: desc}) { year } }'
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await graphql(stations), { data: { station: [{ id: 2 }, { id: 1 }] } })
    assert.deepEqual(await graphql(records), { data: { temperature_max: [{ year: 2020 }, { year: 1990 }] } })
  }
  const members = `query ($name: String!) { __type(name: $name) { inputFields { name } } }`
  const named = async (name: string) => {
    const { data } = await graphql<{ data: { __type: { inputFields: { name: string }[] } } }>(members, { name })
    return data.__type.inputFields.map((field) => field.name)
  }
  assert.deepEqual(await named('temperature_max_order_by'), ['id', 'year'])
  assert.deepEqual(await named('temperature_aggregate_max_order_by'), ['degrees', 'id', 'station_id'])
  assert.deepEqual(await named('temperature_min_order_by'), ['degrees', 'id', 'station_id'])
})

const conflict = (name: string) => `found conflicting definitions for "${name}" when collecting types from the schema`

test('a table cannot have the name of a generated type of another table, whichever comes first', async (t) => {
  const { op, opError } = await startTrellis(t, {
    sql: `
      create table book (id int primary key, price numeric);
      create table book_max_fields (id int primary key);
      create table book_enum (value text primary key);
      create table "bookConnection" (id int primary key);
      create table numeric_comparison_exp (id int primary key);
      create table date (id int primary key)`,
  })
  const refused = async (type: string, args: unknown, name: string) => {
    const body = { path: '$.args', error: conflict(name), code: 'unexpected' }
    assert.deepEqual(await opError(type, args), { status: 400, body })
  }
  for (const table of ['book', 'date', 'book_enum']) await op('track_table', table)
  for (const table of ['book_max_fields', 'bookConnection', 'numeric_comparison_exp']) {
    await refused('track_table', table, table)
  }
  const tables = [{ table: 'book' }, { table: 'book_max_fields' }]
  await refused('replace_metadata', { version: 2, tables }, 'book_max_fields')
  await op('untrack_table', { table: 'book' })
  await op('track_table', 'book_max_fields')
  await refused('track_table', 'book', 'book_max_fields')
})

test('such a table in stored metadata can be queried, but its whole schema is refused', async (t) => {
  const { op, sql: run, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'station')
  await run(`insert into trellis.metadata_entry (slice, key, entry)
    values ('tables', '["public", "station_bool_exp"]', '{"table": {"schema": "public", "name": "station_bool_exp"}}')`)
  await op('reload_metadata', {})
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await graphql('{ station(where: {id: {_gt: 1}}) { id } }'), { data: { station: [{ id: 2 }] } })
    const rows = { data: { station_bool_exp: [{ code: 'x' }] } }
    assert.deepEqual(await graphql('{ station_bool_exp(where: {code: {_eq: "x"}}) { code } }'), rows)
  }
  const message = conflict('station_bool_exp')
  assert.deepEqual(await graphql('{ __schema { queryType { name } } }'), {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message }],
  })
})

test('database types with names of built-in GraphQL types are separate types', async (t) => {
  const { op, graphql } = await startTrellis(t, {
    sql: `
      create schema my;
      create type my.order_by as enum ('asc');
      create type my.bool as enum ('yes');
      create type my.int4 as (a int, b text);
      create type my.jsonb as enum ('x');
      create type my.numeric as enum ('n');
      create type my."String" as enum ('s');
      create type my."__Type" as enum ('t');
      create table odd (id int primary key, o my.order_by, b my.bool, i my.int4, j my.jsonb, n my.numeric,
        s my."String", t my."__Type");
      insert into odd values (1, 'asc', 'yes', '(1,x)', 'x', 'n', 's', 't');
      create table plain (id int primary key, name text);
      insert into plain values (1, 'a')`,
  })
  for (const table of ['odd', 'plain']) await op('track_table', table)
  const filtered = '{ odd(where: {o: {_eq: "asc"}, s: {_eq: "s"}}) { o b j n s t } }'
  const row = { o: 'asc', b: 'yes', j: 'x', n: 'n', s: 's', t: 't' }
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await graphql(filtered), { data: { odd: [row] } })
    const others = '{ plain(where: {name: {_like: "a"}}, order_by: {id: asc}) { id } }'
    assert.deepEqual(await graphql(others), { data: { plain: [{ id: 1 }] } })
  }
  assert.deepEqual(await graphql('{ odd { i } }'), { data: { odd: [{ i: { a: 1, b: 'x' } }] } })
  const types = '{ __type(name: "odd") { fields { name type { name } } } }'
  const { data } = await graphql<{ data: { __type: { fields: { name: string; type: { name: string | null } }[] } } }>(
    types,
  )
  const names = Object.fromEntries(data.__type.fields.map(({ name, type }) => [name, type.name]))
  assert.deepEqual([names['o'], names['s'], names['t']], ['order_by_scalar', 'String_scalar', '__Type_scalar'])
})

test('a table cannot have the name of an introspection type', async (t) => {
  const { request } = await startTrellis(t, { sql: 'create table "__Type" (id int primary key)' })
  const body = { type: 'track_table', args: '__Type' }
  const { status, body: refusal } = await request<{ error: string }>('/v1/query', { body })
  assert.equal(status, 400)
  assert.match(JSON.stringify(refusal), /found conflicting definitions for ."__Type."/)
})

const scalarTaken = (name: string) =>
  `"${name}" is a scalar of columns or functions: rename the table in GraphQL with custom_name`

const dated = `
  create table date (id int primary key, day text);
  create table diary (day date primary key);
  create table plain (id int primary key);
  create table unit (id int primary key);
  create type mood as enum ('a');
  create table mood_log (id int primary key);
  create function since(d date) returns setof plain language sql stable as 'select * from plain';
  create function whole(u unit) returns setof plain language sql stable as 'select * from plain';
  insert into date values (7, 'x');
  insert into diary values ('2020-01-02')`

const asked = 'query ($day: date!) { diary(where: {day: {_eq: $day}}) { day } }'
const answered = { data: { diary: [{ day: '2020-01-02' }] } }

test("a table cannot have the name of a scalar of other tables' columns, whichever comes first", async (t) => {
  const { op, opError, graphql } = await startTrellis(t, { sql: dated })
  const refused = { status: 400, body: { path: '$.args', error: scalarTaken('date'), code: 'unexpected' } }
  await op('track_table', 'diary')
  assert.deepEqual(await opError('track_table', 'date'), refused)
  assert.deepEqual(await graphql(asked, { day: '2020-01-02' }), answered)
  const configuration = { custom_name: 'dates' }
  await op('track_table', { table: 'date', configuration }, { version: 2 })
  assert.deepEqual(await graphql(asked, { day: '2020-01-02' }), answered)
  assert.deepEqual(await graphql('{ dates { id } }'), { data: { dates: [{ id: 7 }] } })
  await op('untrack_table', { table: 'date' })
  await op('untrack_table', { table: 'diary' })
  await op('track_table', 'date')
  assert.deepEqual(await opError('track_table', 'diary'), refused)
  assert.deepEqual(await opError('run_sql', { sql: 'alter table date add born date' }), refused)
  assert.deepEqual(await graphql('{ date { id } }'), { data: { date: [{ id: 7 }] } })
})

test('a table cannot have the name of a scalar of function arguments', async (t) => {
  const { op, opError } = await startTrellis(t, { sql: dated })
  const refused = { status: 400, body: { path: '$.args', error: scalarTaken('date'), code: 'unexpected' } }
  await op('track_table', 'plain')
  await op('track_function', 'since')
  assert.deepEqual(await opError('track_table', 'date'), refused)
  await op('untrack_function', 'since')
  await op('track_table', 'date')
  assert.deepEqual(await opError('track_function', 'since'), refused)
})

test('the scalar of rows has the same name whether or not their table is tracked', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql: dated })
  await op('track_table', 'plain')
  await op('track_function', 'whole')
  const rows = 'query ($u: unit_scalar) { whole(args: {u: $u}) { id } }'
  assert.deepEqual(await graphql(rows, { u: '(1)' }), { data: { whole: [] } })
  await op('track_table', 'unit')
  assert.deepEqual(await graphql(rows, { u: '(1)' }), { data: { whole: [] } })
})

test('such a table in stored metadata is inconsistent until it is renamed', async (t) => {
  const { op, sql: run, graphql } = await startTrellis(t, { sql: dated })
  await op('track_table', 'diary')
  await run(`insert into trellis.metadata_entry (slice, key, entry)
    values ('tables', '["public", "date"]', '{"table": {"schema": "public", "name": "date"}}')`)
  await op('reload_metadata', {})
  const found = await op<{ type: string; definition: unknown; reason: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(found, [{ type: 'table', definition: 'date', reason: scalarTaken('date') }])
  assert.deepEqual(await graphql(asked, { day: '2020-01-02' }), answered)
  await op('track_table', 'plain')
  await op('untrack_table', { table: 'date' })
  await op('track_table', { table: 'date', configuration: { custom_name: 'dates' } }, { version: 2 })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.deepEqual(await graphql('{ dates { day } }'), { data: { dates: [{ day: 'x' }] } })
})

test("a table cannot take the name of another table's input type, except in stored metadata", async (t) => {
  const { op, opError, graphql } = await startTrellis(t, {
    sql: `${sql}; create table temperature_obj_rel (id int primary key)`,
  })
  const ordered =
    'query ($by: temperature_max_order_by!) { station(order_by: {temperatures_aggregate: {max: $by}}) { id } }'
  const inOrder = { data: { station: [{ id: 2 }, { id: 1 }] } }
  for (const table of ['station', 'temperature']) await op('track_table', table)
  await op('create_array_relationship', relationship)
  assert.deepEqual(await graphql(ordered, { by: { degrees: 'desc' } }), inOrder)
  const error =
    'the type "temperature_max_order_by" is of another table: give the table "temperature_max" another name with custom_name'
  assert.deepEqual(await opError('track_table', 'temperature_max'), {
    status: 400,
    body: { path: '$.args', error, code: 'unexpected' },
  })
  await op('track_table', { table: 'temperature_max', configuration: { custom_name: 'records' } }, { version: 2 })
  assert.deepEqual(await graphql(ordered, { by: { degrees: 'desc' } }), inOrder)
  const records = '{ records(order_by: {year: desc}) { year } }'
  assert.deepEqual(await graphql(records), { data: { records: [{ year: 2020 }, { year: 1990 }] } })
  await op('untrack_table', { table: 'temperature_max' })
  const both = await op<{ tables: { table: { name: string } }[] }>('export_metadata', {})
  const added = { table: { schema: 'public', name: 'temperature_max' } }
  await op('replace_metadata', { ...both, tables: [...both.tables, added] })
  assert.deepEqual(await graphql('{ temperature_max(order_by: {year: desc}) { year } }'), {
    data: { temperature_max: [{ year: 2020 }, { year: 1990 }] },
  })
  await op('untrack_table', { table: 'temperature_max' })
  await op('create_object_relationship', {
    table: 'temperature',
    name: 'same',
    using: { manual_configuration: { remote_table: 'temperature', column_mapping: { id: 'id' } } },
  })
  assert.deepEqual(await opError('track_table', 'temperature_obj_rel'), {
    status: 400,
    body: { path: '$.args', error: conflict('temperature_obj_rel_insert_input'), code: 'unexpected' },
  })
})
