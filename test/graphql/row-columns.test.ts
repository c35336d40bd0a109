import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

/** A row with a null member is not null, although SQL's `is not null` is false for it. */
async function startShelves(t: TestContext) {
  const trellis = await startTrellis(t, {
    sql: `
      create type place as (room int, corner text);
      create table shelf (place place primary key, label text);
      create table item (id int primary key, place place references shelf);
      insert into shelf values ('(1,)', 'open'), ('(2,left)', 'closed');
      insert into item values (1, '(1,)'), (2, '(2,left)'), (3, null), (4, '(1,)')`,
  })
  for (const table of ['shelf', 'item']) await trellis.op('track_table', table)
  await trellis.op('create_object_relationship', {
    table: 'item',
    name: 'shelf',
    using: { foreign_key_constraint_on: 'place' },
  })
  await trellis.op('create_array_relationship', {
    table: 'shelf',
    name: 'items',
    using: { foreign_key_constraint_on: { table: 'item', column: 'place' } },
  })
  return trellis
}

test('a condition through a column of rows matches the same rows at any depth', async (t) => {
  const { op, graphql } = await startShelves(t)
  const nested = (depth: number, inner: object): object => {
    let expression: object = inner
    for (let level = depth; level >= 1; level--) expression = { [level % 2 === 1 ? 'shelf' : 'items']: expression }
    return expression
  }
  const found = { data: { item: [{ id: 1 }, { id: 4 }] } }
  const others = { data: { item: [{ id: 2 }, { id: 3 }] } }
  for (const depth of [1, 3, 7, 9, 11]) {
    const open = nested(depth, { label: { _eq: 'open' } })
    const around: readonly (readonly [object, unknown])[] = [
      [open, found],
      [{ _or: [open, { id: { _eq: 9 } }] }, found],
      [{ _not: open }, others],
      [{ _not: { _or: [{ id: { _eq: 9 } }, open] } }, others],
    ]
    for (const [i, [filter, expected]] of around.entries()) {
      const role = `role_${depth}_${i}`
      await op('create_select_permission', { table: 'item', role, permission: { columns: ['id'], filter } })
      assert.deepEqual(await graphql('{ item(order_by: {id: asc}) { id } }', {}, { role }), expected, role)
    }
  }
})

test('rows of a column of rows count in orders and appear in streams', async (t) => {
  const { graphql, url } = await startShelves(t)
  const counted = '{ item(order_by: [{shelf: {items_aggregate: {count: asc_nulls_last}}}, {id: asc}]) { id } }'
  assert.deepEqual(await graphql(counted), { data: { item: [{ id: 2 }, { id: 1 }, { id: 4 }, { id: 3 }] } })
  const stream = 'subscription { shelf_stream(batch_size: 1, cursor: {initial_value: {place: null}}) { label } }'
  const received = subscribeWith(graphqlWsClient(t, url), stream)
  await received.atLeast(2)
  assert.deepEqual(received.items, [
    { data: { shelf_stream: [{ label: 'open' }] } },
    { data: { shelf_stream: [{ label: 'closed' }] } },
  ])
  await graphql('mutation { insert_shelf_one(object: {place: "(3,)", label: "new"}) { label } }')
  await received.atLeast(3)
  assert.deepEqual(received.items[2], { data: { shelf_stream: [{ label: 'new' }] } })
})
