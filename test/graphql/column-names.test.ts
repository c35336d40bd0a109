import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table rule (id int primary key, _and int, _or int, _not int, "where" int, _set int, __typename text);
  insert into rule values (1, 10, 20, 30, 40, 50, 'x'), (2, 11, 21, 31, 41, 51, 'y')`

test('columns that are called like connectives are read and written, and the connectives go on to work', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'rule')
  const where = '{_or: [{_and: [{id: {_eq: 1}}, {where: {_eq: 40}}]}, {_not: {id: {_lt: 3}}}]}'
  const query = `{ rule(where: ${where}, order_by: {_and: asc}) { __typename _and _or _not where _set } }`
  const first = { __typename: 'rule', _and: 10, _or: 20, _not: 30, where: 40, _set: 50 }
  assert.deepEqual(await graphql(query), { data: { rule: [first] } })
  const mutation = `mutation { update_rule(where: ${where}, _set: {_set: 1, _and: 2}) { returning { _set _and } } }`
  assert.deepEqual(await graphql(mutation), { data: { update_rule: { returning: [{ _set: 1, _and: 2 }] } } })
})
