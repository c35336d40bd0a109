import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table rule (id int primary key, _and int, _or int, _not int, "where" int, _set int, __typename text);
  insert into rule values (1, 10, 20, 30, 40, 50, 'x'), (2, 11, 21, 31, 41, 51, 'y')`

test('columns named like connectives can be read and written, and the connectives still work', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'rule')
  const where = '{_or: [{_and: [{id: {_eq: 1}}, {where: {_eq: 40}}]}, {_not: {id: {_lt: 3}}}]}'
  const query = `{ rule(where: ${where}, order_by: {_and: asc}) { __typename _and _or _not where _set } }`
  const first = { __typename: 'rule', _and: 10, _or: 20, _not: 30, where: 40, _set: 50 }
  assert.deepEqual(await graphql(query), { data: { rule: [first] } })
  const mutation = `mutation { update_rule(where: ${where}, _set: {_set: 1, _and: 2}) { returning { _set _and } } }`
  assert.deepEqual(await graphql(mutation), { data: { update_rule: { returning: [{ _set: 1, _and: 2 }] } } })
})

test('columns and constraints with names that enums cannot have are left out of enums', async (t) => {
  const { op, graphql } = await startTrellis(t, {
    sql: 'create table odd (id int, n int, "null" int default 3, constraint "null" primary key (id), constraint n unique (n))',
  })
  await op('track_table', 'odd')
  const insert = `mutation { insert_odd(objects: {id: 1, n: 1}, on_conflict: {constraint: n, update_columns: [id]}) {
    returning { id null } } }`
  assert.deepEqual(await graphql(insert), { data: { insert_odd: { returning: [{ id: 1, null: 3 }] } } })
  const valuesOf = `{ columns: __type(name: "odd_select_column") { enumValues { name } }
    constraints: __type(name: "odd_constraint") { enumValues { name } } }`
  assert.deepEqual(await graphql(valuesOf), {
    data: { columns: { enumValues: [{ name: 'id' }, { name: 'n' }] }, constraints: { enumValues: [{ name: 'n' }] } },
  })
  assert.deepEqual(await graphql('{ odd(distinct_on: [id]) { null } }'), { data: { odd: [{ null: 3 }] } })
})

test('tables named like introspection fields can be read, written and subscribed to', async (t) => {
  const { op, graphql, request } = await startTrellis(t, {
    sql: 'create table __log (id int primary key, __at int)',
  })
  await op('track_table', '__log')
  const mutation = 'mutation { insert___log_one(object: {id: 1, __at: 2}) { __at } }'
  assert.deepEqual(await graphql(mutation), { data: { insert___log_one: { __at: 2 } } })
  const query = '{ __log { id __at } __log_by_pk(id: 1) { __typename } __typename __type(name: "__log") { name } }'
  assert.deepEqual(await graphql(query), {
    data: {
      __log: [{ id: 1, __at: 2 }],
      __log_by_pk: { __typename: '__log' },
      __typename: 'query_root',
      __type: { name: '__log' },
    },
  })
  const body = { query: { query: 'subscription { __log { id } }' } }
  assert.equal((await request('/v1/graphql/explain', { body })).status, 200)
  const custom_root_fields = { insert: '__add' }
  await op('set_table_custom_fields', { table: '__log', custom_root_fields }, { version: 2 })
  assert.deepEqual(await graphql('mutation { __add(objects: {id: 2}) { affected_rows } }'), {
    data: { __add: { affected_rows: 1 } },
  })
})
