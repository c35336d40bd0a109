// The database user may read only some columns of a table. Statements name only the columns that they need, so
// everything else works.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const schema = `
  create table shop (id int primary key, name char(6) not null, code text unique, secret text default 'x');
  create table sale (id serial primary key, shop_id int references shop, total numeric, tags int[], secret text default 'x');
  create table remark (id serial primary key, sale_id int, text text, secret text default 'x');
  insert into shop values (1, 'North', 'n'), (2, 'South', 's');
  insert into sale (shop_id, total, tags) values (1, 10, '{1}'), (1, 5.50, '{2,3}'), (2, 7, null), (null, 1, '{}');
  insert into remark (sale_id, text) values (1, 'good'), (1, 'fine'), (3, 'bad');`

const link = (table: string, name: string, remote: string, mapping: Record<string, string>) => ({
  table,
  name,
  using: { manual_configuration: { remote_table: remote, column_mapping: mapping } },
})

const columns = { shop: 'id, name, code', sale: 'id, shop_id, total, tags', remark: 'id, sale_id, text' }

/** A server whose database user has grants on all columns except `secret`. */
async function startGranted(t: TestContext): Promise<TestTrellis> {
  const database = await testDatabase(t, { sql: schema })
  const role = `granted_${randomBytes(6).toString('hex')}`
  const grants = Object.entries(columns).map(([table, list]) => {
    const actions = ['select', 'insert', 'update', 'references'].map((action) => `${action} (${list})`)
    return `grant ${actions.join(', ')}, delete on ${table} to ${role};`
  })
  await database.sql(`
    create role ${role} login; drop schema trellis cascade; create schema trellis authorization ${role};
    grant usage on all sequences in schema public to ${role}; ${grants.join('\n')}`)
  atEnd(t, () => database.sql(`drop owned by ${role} cascade; drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  const trellis = await startTrellis(t, { database: { url: url.href, sql: database.sql } })
  await trellis.op('bulk', [
    ...['shop', 'sale', 'remark'].map((name) => ({ type: 'track_table', args: name })),
    {
      type: 'create_object_relationship',
      args: { table: 'sale', name: 'shop', using: { foreign_key_constraint_on: 'shop_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'shop',
        name: 'sales',
        using: { foreign_key_constraint_on: { table: 'sale', column: 'shop_id' } },
      },
    },
    { type: 'create_array_relationship', args: link('sale', 'remarks', 'remark', { id: 'sale_id' }) },
    { type: 'create_object_relationship', args: link('sale', 'remark', 'remark', { id: 'sale_id' }) },
  ])
  return trellis
}

const north = { name: 'North ' }
const south = { name: 'South ' }

test('rows can be ordered, limited, distinct, and selected with related rows', async (t) => {
  const { graphql } = await startGranted(t)
  const asked: readonly (readonly [string, unknown])[] = [
    ['shop(limit: 1, order_by: {id: desc}) { name }', [south]],
    ['sale(limit: 1, offset: 1, order_by: {id: asc}) { total tags }', [{ total: 5.5, tags: [2, 3] }]],
    [
      'sale(order_by: [{shop: {name: desc}}, {id: desc}], where: {shop: {}}) { id shop { name } }',
      [
        { id: 3, shop: south },
        { id: 2, shop: north },
        { id: 1, shop: north },
      ],
    ],
    ['sale(order_by: {remark: {text: asc}}, limit: 1) { id }', [{ id: 3 }]],
    [
      'sale(order_by: {shop: {sales_aggregate: {max: {total: desc_nulls_last}}}}, limit: 1) { shop_id }',
      [{ shop_id: 1 }],
    ],
    ['sale(distinct_on: shop_id, order_by: [{shop_id: asc}, {total: desc}]) { id }', [{ id: 1 }, { id: 3 }, { id: 4 }]],
    [
      'sale(distinct_on: shop_id) { __typename }',
      [{ __typename: 'sale' }, { __typename: 'sale' }, { __typename: 'sale' }],
    ],
    [
      'shop(order_by: {id: asc}) { sales(order_by: {id: desc}, limit: 1) { id shop { code } } }',
      [{ sales: [{ id: 2, shop: { code: 'n' } }] }, { sales: [{ id: 3, shop: { code: 's' } }] }],
    ],
    [
      'shop(order_by: {name: asc}) { name sales(order_by: {id: asc}) { remarks(order_by: {text: asc}) { text } } }',
      [
        { ...north, sales: [{ remarks: [{ text: 'fine' }, { text: 'good' }] }, { remarks: [] }] },
        { ...south, sales: [{ remarks: [{ text: 'bad' }] }] },
      ],
    ],
    [
      'sale(order_by: {id: asc}, limit: 1) { remark { sale_id } remarks_aggregate(limit: 1) { aggregate { count } } }',
      [{ remark: { sale_id: 1 }, remarks_aggregate: { aggregate: { count: 1 } } }],
    ],
    [
      'sale_aggregate(limit: 2, order_by: {id: asc}) { aggregate { count sum { total } } nodes { id shop { name } } }',
      {
        aggregate: { count: 2, sum: { total: 15.5 } },
        nodes: [
          { id: 1, shop: north },
          { id: 2, shop: north },
        ],
      },
    ],
    [
      'sale_aggregate(order_by: {id: desc}) { aggregate { count(columns: shop_id, distinct: true) } nodes { id } }',
      { aggregate: { count: 2 }, nodes: [{ id: 4 }, { id: 3 }, { id: 2 }, { id: 1 }] },
    ],
    [
      'shop_by_pk(id: 1) { sales_aggregate { nodes { total } } }',
      { sales_aggregate: { nodes: [{ total: 10 }, { total: 5.5 }] } },
    ],
  ]
  for (const [field, expected] of asked) {
    assert.deepEqual(await graphql(`{ answer: ${field} }`), { data: { answer: expected } }, field)
  }
})

test('mutations return related rows, and values unchanged', async (t) => {
  const { graphql } = await startGranted(t)
  const answers = async (field: string, expected: unknown) => {
    assert.deepEqual(await graphql(`mutation { answer: ${field} }`), { data: { answer: expected } }, field)
  }
  await answers(
    `insert_shop(objects: [{id: 3, name: "x", code: "{\\"a\\\\b"}, {id: 4, name: "y"}]) {
      affected_rows returning { id name code sales { id } sales_aggregate { aggregate { count } } } }`,
    {
      affected_rows: 2,
      returning: [
        { id: 3, name: 'x     ', code: '{"a\\b', sales: [], sales_aggregate: { aggregate: { count: 0 } } },
        { id: 4, name: 'y     ', code: null, sales: [], sales_aggregate: { aggregate: { count: 0 } } },
      ],
    },
  )
  await answers(
    'update_sale(where: {shop_id: {_eq: 1}}, _inc: {total: 1}) { returning { total tags shop { name } } }',
    {
      returning: [
        { total: 11, tags: [1], shop: north },
        { total: 6.5, tags: [2, 3], shop: north },
      ],
    },
  )
  await answers('delete_sale_by_pk(id: 4) { tags shop { id } remarks { id } }', { tags: [], shop: null, remarks: [] })
  await answers(
    'insert_sale_one(object: {total: 2, shop: {data: {id: 5, name: "new"}}, remarks: {data: [{text: "hm"}]}}) { shop { name } remarks { text } }',
    { shop: { name: 'new   ' }, remarks: [{ text: 'hm' }] },
  )
  await answers(
    'insert_shop_one(object: {id: 1, name: "nord"}, on_conflict: {constraint: shop_pkey, update_columns: name}) { name sales { id } }',
    { name: 'nord  ', sales: [{ id: 1 }, { id: 2 }] },
  )
  await answers('delete_remark(where: {}) { affected_rows returning { __typename } }', {
    affected_rows: 4,
    returning: Array.from({ length: 4 }, () => ({ __typename: 'remark' })),
  })
})

test('Relay, streams and data operations name columns, too', async (t) => {
  const trellis = await startGranted(t)
  const { data } = await trellis.graphql<{ data: unknown }>(
    '{ sale_connection(first: 2, order_by: {shop: {name: desc_nulls_last}}) { pageInfo { hasNextPage } edges { cursor node { total shop { code } } } } }',
    {},
    { path: '/v1beta1/relay' },
  )
  assert.partialDeepStrictEqual(data, {
    sale_connection: {
      pageInfo: { hasNextPage: true },
      edges: [{ node: { total: 7, shop: { code: 's' } } }, { node: { shop: { code: 'n' } } }],
    },
  })
  const client = graphqlWsClient(t, trellis.url)
  const stream = '{ sale_stream(batch_size: 2, cursor: {initial_value: {id: 0}}) { total shop { code } } }'
  const received = subscribeWith(client, `subscription ${stream}`)
  const [batch] = await received.atLeast(1)
  assert.deepEqual(batch, {
    data: {
      sale_stream: [
        { total: 10, shop: { code: 'n' } },
        { total: 5.5, shop: { code: 'n' } },
      ],
    },
  })
  const { body } = await trellis.request('/v1/query', {
    body: {
      type: 'select',
      args: { table: 'sale', columns: ['id', { name: 'shop', columns: ['code'] }], order_by: '+id', limit: 1 },
    },
  })
  assert.deepEqual(body, [{ id: 1, shop: { code: 'n' } }])
})
