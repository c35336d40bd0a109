// Select permissions that hide root fields hide those of functions that return the same rows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table item (id int primary key, name text);
  create function search_item(word text) returns setof item language sql stable as 'select * from item';
  create table shelf (id int primary key, item_id int references item)`

/** Names of the root fields that a role sees. */
async function start(t: Parameters<typeof startTrellis>[0]) {
  const trellis = await startTrellis(t, { sql })
  for (const table of ['item', 'shelf']) await trellis.op('track_table', table)
  const using = { foreign_key_constraint_on: 'item_id' }
  await trellis.op('create_object_relationship', { table: 'shelf', name: 'item', using })
  await trellis.op('track_function', 'search_item')
  const permit = (table: string, more: object) =>
    trellis.op('create_select_permission', {
      table,
      role: 'guest',
      permission: { columns: '*', filter: {}, allow_aggregations: true, ...more },
    })
  await permit('shelf', {})
  const fields = async (root: 'queryType' | 'subscriptionType', path = '/v1/graphql') => {
    const text = `{ __schema { ${root} { fields { name } } } }`
    const { data } = await trellis.graphql<{ data: { __schema: Record<string, { fields: { name: string }[] }> } }>(
      text,
      {},
      { role: 'guest', path },
    )
    const names = data.__schema[root]!.fields.map(({ name }) => name)
    return names.filter((name) => name.includes('item')).sort()
  }
  return { ...trellis, permit, fields }
}

test('a table without root fields has no function fields either, in all schemas', async (t) => {
  const { permit, fields, graphql } = await start(t)
  await permit('item', { query_root_fields: [], subscription_root_fields: [] })
  assert.deepEqual(await fields('queryType'), [])
  assert.deepEqual(await fields('subscriptionType'), [])
  assert.deepEqual(await fields('queryType', '/v1beta1/relay'), [])
  const { errors } = await graphql<{ errors: { message: string }[] }>(
    '{ search_item(args: {word: "x"}) { id } }',
    {},
    { role: 'guest' },
  )
  assert.equal(errors[0]?.message, `field "search_item" not found in type: 'query_root'`)
  assert.deepEqual(await graphql('{ shelf { item { id } } }', {}, { role: 'guest' }), { data: { shelf: [] } })
})

test("each root field of a function is hidden together with the table's field of its kind", async (t) => {
  const { permit, fields } = await start(t)
  await permit('item', {
    query_root_fields: ['select_aggregate', 'select_by_pk'],
    subscription_root_fields: ['select'],
  })
  assert.deepEqual(await fields('queryType'), ['item_aggregate', 'item_by_pk', 'search_item_aggregate'])
  assert.deepEqual(await fields('subscriptionType'), ['item', 'search_item'])
})

test('a function with a permission for the role is shown nevertheless', async (t) => {
  const { op, permit, fields } = await start(t)
  await permit('item', { query_root_fields: [], subscription_root_fields: [] })
  const document = await op<Record<string, unknown>>('export_metadata', {})
  const functions = [{ function: 'search_item', permissions: [{ role: 'guest' }] }]
  await op('replace_metadata', { ...document, functions })
  assert.deepEqual(await fields('queryType'), ['search_item', 'search_item_aggregate'])
  assert.deepEqual(await fields('subscriptionType'), ['search_item', 'search_item_aggregate'])
})
