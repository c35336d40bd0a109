// Aggregates as version 2 prints them with --stringify-numeric-types, beside v1.3 on the same database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table shop (id int primary key);
  create table sale (id int primary key, shop_id int references shop, items int, units int8, price numeric, weight float8);
  create function worth(sale) returns numeric language sql stable as 'select $1.price * $1.items';
  insert into shop values (1);
  insert into sale values (1, 1, 2, 9007199254740993, 1.50, 0.5), (2, 1, 4, 1, 2.50, null)`

const settings = { stringifyNumericTypes: true } as const

const tracked = [
  ['track_table', 'shop'],
  ['track_table', 'sale'],
  ['add_computed_field', { table: 'sale', name: 'worth', definition: { function: 'worth' } }],
  [
    'create_array_relationship',
    { table: 'shop', name: 'sales', using: { foreign_key_constraint_on: { table: 'sale', column: 'shop_id' } } },
  ],
] as const

const query = `{
  sale_aggregate {
    aggregate {
      count
      sum { items units price weight worth }
      max { units weight }
      avg { items units }
    }
  }
  shop { sales_aggregate(where: {id: {_gt: 2}}) { aggregate { sum { price } } } }
}`

test('aggregates of long numbers are strings in interface 2', async (t) => {
  const former = await startTrellis(t, { sql, settings })
  for (const [type, args] of tracked) await former.op(type, args)
  const later = await startTrellis(t, {
    database: former.database,
    settings: { ...settings, graphqlInterface: '2' },
  })
  const nothing = [{ sales_aggregate: { aggregate: { sum: { price: null } } } }]
  const answer = await later.request('/v1/graphql', { body: { query } })
  assert.deepEqual(answer.body, {
    data: {
      sale_aggregate: {
        aggregate: {
          count: 2,
          sum: { items: 6, units: '9007199254740994', price: '4.00', weight: '0.5', worth: '13.00' },
          max: { units: '9007199254740993', weight: '0.5' },
          avg: { items: 3, units: '4503599627370497.0000' },
        },
      },
      shop: nothing,
    },
  })
  const { body } = await former.request('/v1/graphql', { body: { query } })
  assert.deepEqual(Object(body).data.sale_aggregate.aggregate.sum, {
    items: 6,
    units: 9007199254740994,
    price: 4,
    weight: 0.5,
    worth: 13,
  })
})
