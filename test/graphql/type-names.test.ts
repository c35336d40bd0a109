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

test('a table that has the name of another one’s type is asked like others; the whole schema is refused', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  for (const table of ['station', 'station_bool_exp']) await op('track_table', table)
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await graphql('{ station(where: {id: {_gt: 1}}) { id } }'), { data: { station: [{ id: 2 }] } })
    const rows = { data: { station_bool_exp: [{ code: 'x' }] } }
    assert.deepEqual(await graphql('{ station_bool_exp(where: {code: {_eq: "x"}}) { code } }'), rows)
  }
  const message = 'found conflicting definitions for "station_bool_exp" when collecting types from the schema'
  assert.deepEqual(await graphql('{ __schema { queryType { name } } }'), {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message }],
  })
})
