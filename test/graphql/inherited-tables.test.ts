// Inheritance: a parent table's rows include those of its children, and its keys do not apply to them.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table place (id int primary key, name text);
  create table town (inhabitants int) inherits (place);
  create table trip (id int primary key, place_id int references place(id));
  insert into place values (1, 'North'), (2, 'South');
  insert into town values (1, 'North', 100), (1, 'North', 200);
  insert into trip values (10, 1), (20, 2), (30, null)`

async function startTrips(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'place' },
    { type: 'track_table', args: 'trip' },
    {
      type: 'create_object_relationship',
      args: { table: 'trip', name: 'place', using: { foreign_key_constraint_on: 'place_id' } },
    },
    {
      type: 'create_object_relationship',
      args: {
        table: 'trip',
        name: 'same',
        using: { manual_configuration: { remote_table: 'place', column_mapping: { place_id: 'id' } } },
      },
    },
  ])
  return trellis
}

const north = { name: 'North' }
const trips = [
  { id: 20, place: { name: 'South' }, same: { name: 'South' } },
  { id: 10, place: north, same: north },
  { id: 30, place: null, same: null },
]

test('an object relationship returns one of the rows with the key, and no row appears twice', async (t) => {
  const { graphql, request } = await startTrips(t)
  const fields = 'id place { name } same { name }'
  const byId = trips.toSorted((a, b) => a.id - b.id)
  assert.deepEqual(await graphql(`{ trip(order_by: {id: asc}) { ${fields} } }`), { data: { trip: byId } })
  const bySame = '[{place: {name: desc}}, {same: {name: desc}}]'
  assert.deepEqual(await graphql(`{ trip(order_by: ${bySame.replaceAll('desc', 'desc_nulls_last')}) { ${fields} } }`), {
    data: { trip: trips.with(2, trips[2]!) },
  })
  assert.deepEqual(await graphql(`{ trip_aggregate(order_by: ${bySame}) { aggregate { count } } }`), {
    data: { trip_aggregate: { aggregate: { count: 3 } } },
  })
  const { body } = await request('/v1/query', {
    body: {
      type: 'select',
      args: { table: 'trip', columns: ['id', { name: 'place', columns: ['name'] }], order_by: '+id' },
    },
  })
  assert.deepEqual(
    body,
    byId.map(({ id, place }) => ({ id, place })),
  )
  const update =
    'mutation { update_trip(where: {id: {_eq: 20}}, _set: {place_id: 1}) { returning { id place { name } } } }'
  assert.deepEqual(await graphql(update), { data: { update_trip: { returning: [{ id: 20, place: north }] } } })
})

test('a lookup by key returns one row, in every form', async (t) => {
  const { graphql } = await startTrips(t)
  assert.deepEqual(await graphql('{ place_by_pk(id: 1) { name } }'), { data: { place_by_pk: north } })
  assert.deepEqual(await graphql('{ a: place_by_pk(id: 1) { name } b: place_by_pk(id: 1) { name } }'), {
    data: { a: north, b: north },
  })
  const id = Buffer.from('[1, "public", "place", 1]').toString('base64')
  const nodes = `{ a: node(id: "${id}") { ... on place { name } } b: node(id: "${id}") { ... on place { name } } }`
  assert.deepEqual(await graphql(nodes, undefined, { path: '/v1beta1/relay' }), { data: { a: north, b: north } })
})

test('a stream returns rows with equal keys in one batch', async (t) => {
  const trellis = await startTrips(t)
  const query = 'subscription { place_stream(batch_size: 1, cursor: {initial_value: {name: ""}}) { name } }'
  const received = subscribeWith(graphqlWsClient(t, trellis.url), query)
  await received.atLeast(2)
  assert.deepEqual(received.items, [
    { data: { place_stream: [north, north, north] } },
    { data: { place_stream: [{ name: 'South' }] } },
  ])
})
