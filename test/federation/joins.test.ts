import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'
import { entitiesOf, entity, startSubgraph } from './federation.ts'

const userOf = (table: string, name: string, column: string) => ({
  type: 'create_remote_relationship',
  args: {
    ...{ name, table, service_fields: [column], remote_schema: 'crm' },
    remote_field: { user: { arguments: { id: `$${column}` } } },
  },
})

const sql = `
  create table shelf (id int primary key, buyer jsonb, publisher_id int references publisher(id));
  insert into shelf values (1, '{"name": "own"}', 1), (2, null, 2);`

test('remote relationships of several types may have one name, which others use for a column', async (t) => {
  const crm = await startCrm(t)
  const trellis = await startSubgraph(t, { sql })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const using = { foreign_key_constraint_on: 'publisher_id' }
  await trellis.op('bulk', [
    { type: 'track_table', args: 'shelf' },
    { type: 'create_object_relationship', args: { table: 'shelf', name: 'publisher', using } },
    entity('shelf'),
    userOf('book', 'buyer', 'id'),
    userOf('publisher', 'buyer', 'id'),
  ])
  const representations = [
    ...[1, 2].map((id) => ({ __typename: 'publisher', id })),
    ...[1, 2].map((id) => ({ __typename: 'shelf', id })),
    ...[2, 1, 77].map((id) => ({ __typename: 'book', id })),
  ]
  const selection = `... on book { buyer { name } publisher { buyer { name } } }
    ... on publisher { buyer { id name } } ... on shelf { buyer publisher { name } }`
  const user = (id: number) => ({ name: `user ${id}` })
  assert.deepEqual(await entitiesOf(trellis, representations, selection), [
    { buyer: { id: 1, ...user(1) } },
    { buyer: { id: 2, ...user(2) } },
    { buyer: { name: 'own' }, publisher: { name: 'Ark' } },
    { buyer: null, publisher: { name: 'Bell' } },
    { buyer: user(2), publisher: { buyer: user(1) } },
    { buyer: user(1), publisher: { buyer: user(1) } },
    null,
  ])
})

test('an error of one entity is reported with its place, and the others are answered', async (t) => {
  const crm = await startCrm(t)
  const trellis = await startSubgraph(t, { sql: "insert into publisher (id, name) values (-1, 'Below')" })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  await trellis.op('bulk', [userOf('book', 'buyer', 'id'), userOf('publisher', 'buyer', 'id')])
  const representations = [
    { __typename: 'book', id: 1 },
    { __typename: 'publisher', id: -1 },
  ]
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) {
    ... on book { buyer { fails name } } ... on publisher { name buyer { name } } } }`
  const answer = await trellis.graphql<{ data: unknown; errors: { path: unknown; message: string }[] }>(query, {
    r: representations,
  })
  assert.deepEqual(answer.errors.map(({ path }) => path).sort(), [
    ['_entities', 0, 'buyer', 'fails'],
    ['_entities', 1, 'buyer'],
  ])
  assert.deepEqual(answer.data, {
    _entities: [{ buyer: { fails: null, name: 'user 1' } }, { name: 'Below', buyer: null }],
  })
})
