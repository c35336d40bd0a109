import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestTrellis } from '../support/trellis.ts'
import { entitiesOf, entity, refused, startSubgraph } from './federation.ts'

const book = (id: unknown) => ({ __typename: 'book', id })
const publisher = (id: unknown) => ({ __typename: 'publisher', id })

const selection = `__typename ...Titled
  ... on publisher { called: name books(order_by: {id: desc}, limit: $most) { title } books_aggregate { aggregate { count } } }`
const titled =
  'fragment Titled on book { title pages @include(if: $long) publisher { ...Named } } fragment Named on publisher { name }'

test('entities of several types come in the order of their representations, and null where there is no row', async (t) => {
  const trellis = await startSubgraph(t)
  const representations = [publisher(1), book(3), book(99), publisher(3), book(1), book(3)]
  const options = { declares: '$most: Int, $long: Boolean!', variables: { most: 1, long: false }, fragments: titled }
  const fog = { __typename: 'book', title: 'Fog', publisher: { name: 'Bell' } }
  const ark = { called: 'Ark', books: [{ title: 'Ebb' }], books_aggregate: { aggregate: { count: 2 } } }
  const cove = { called: 'Cove', books: [], books_aggregate: { aggregate: { count: 0 } } }
  const expected = [
    { __typename: 'publisher', ...ark },
    fog,
    null,
    { __typename: 'publisher', ...cove },
    { __typename: 'book', title: 'Dawn', publisher: { name: 'Ark' } },
    fog,
  ]
  assert.deepEqual(await entitiesOf(trellis, representations, selection, options), expected)
  // With the plan of the first request.
  assert.deepEqual(await entitiesOf(trellis, representations.toReversed(), selection, options), expected.toReversed())
  assert.deepEqual(
    await entitiesOf(trellis, [book(2)], selection, { ...options, variables: { most: 1, long: true } }),
    [{ __typename: 'book', title: 'Ebb', pages: 120, publisher: { name: 'Ark' } }],
  )
  assert.deepEqual(await entitiesOf(trellis, [], selection, options), [])
})

test('types without a selection are checked for rows, and others of the selection may be missing', async (t) => {
  const trellis = await startSubgraph(t)
  const representations = [publisher(1), publisher(9), book(1)]
  assert.deepEqual(await entitiesOf(trellis, representations, '... on book { title }'), [{}, null, { title: 'Dawn' }])
  assert.deepEqual(await entitiesOf(trellis, [publisher(1)], '... on book { title } ... on publisher { name }'), [
    { name: 'Ark' },
  ])
  assert.deepEqual(await entitiesOf(trellis, [publisher(1)], '__typename'), [{ __typename: 'publisher' }])
})

test('representations may be written into the document, with variables in them', async (t) => {
  const trellis = await startSubgraph(t)
  const query = `query ($id: Int!) { a: _entities(representations: [{__typename: "book", id: $id}, {__typename: "book", id: 3}])
    { ... on book { title } } b: _entities(representations: {__typename: "publisher", id: 2}) { ... on publisher { name } } }`
  for (const [id, title] of [
    [1, 'Dawn'],
    [2, 'Ebb'],
  ] as const) {
    assert.deepEqual(await trellis.graphql(query, { id }), {
      data: { a: [{ title }, { title: 'Fog' }], b: [{ name: 'Bell' }] },
    })
  }
})

test('all entities of a request are read by one statement', async (t) => {
  const trellis = await startSubgraph(t)
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on book { title } ... on publisher { name } } }`
  const variables = { r: [book(1), publisher(1), book(2)] }
  const { status, body } = await trellis.request<{ field: string; sql: string }[]>('/v1/graphql/explain', {
    body: { query: { query, variables }, user: { 'x-hasura-role': 'admin' } },
  })
  assert.equal(status, 200)
  assert.deepEqual(
    body.map(({ field }) => field),
    ['_entities'],
  )
  assert.match(body[0]!.sql, /json_to_recordset/)
})

test('wrong representations are refused with their place', async (t) => {
  const trellis = await startSubgraph(t)
  const at = '$.selectionSet._entities.args.representations'
  const cases: readonly (readonly [unknown, path: string, message: string])[] = [
    [[book(1), { __typename: 'boook', id: 1 }], `${at}[1].__typename`, 'no entity has the type "boook"'],
    [[{ id: 1 }], `${at}[0]`, 'a representation needs the type name "__typename", a string'],
    [[{ __typename: 1 }], `${at}[0]`, 'a representation needs the type name "__typename", a string'],
    [[7], `${at}[0]`, 'a representation must be an object'],
    [[book(1), { __typename: 'book' }], `${at}[1]`, 'the representation of "book" needs the key field "id"'],
    [[book(null)], `${at}[0]`, 'the representation of "book" needs the key field "id"'],
    [[book(1), book('x')], `${at}[1].id`, 'expected a 32-bit integer for type "Int", but found a string'],
    [Array.from({ length: 50_001 }, () => book(1)), at, 'there are more than 50000 representations'],
  ]
  for (const [representations, path, message] of cases) {
    const error = await refused(trellis, representations, '... on book { title }')
    assert.deepEqual(error, ['validation-failed', path, message])
  }
  assert.deepEqual(await refused(trellis, [null], '__typename'), [
    'validation-failed',
    `${at}[0]`,
    'a representation must be an object',
  ])
  const unselected = await refused(trellis, [book(1)], '... on publisher { nothing }')
  assert.deepEqual(unselected, [
    'validation-failed',
    '$.selectionSet._entities.selectionSet.nothing',
    `field "nothing" not found in type: 'publisher'`,
  ])
})

const keys = `
  create type colour as enum ('red', 'blue');
  create table thing (at timestamptz, big bigint, tone colour, name text, primary key (at, big, tone));
  create table odd (parts int[] primary key, name text);
  create table doc (content jsonb primary key, name text);
  create table loose (id int, name text);
  create view books as select id, title from book;
  insert into thing values ('2020-01-02 03:04:05.678901+00', 9007199254740993, 'red', 'x');`

const trackKeys = async ({ op }: TestTrellis) => {
  const names = { custom_root_fields: {}, custom_column_names: { big: 'large' }, custom_name: 'Thing' }
  await op('track_table', { table: 'thing', configuration: names }, { version: 2 })
  for (const table of ['odd', 'doc', 'loose']) await op('track_table', table)
  await op('bulk', ['thing', 'odd', 'doc'].map(entity))
}

test('keys have any number of columns and exact values, under their names in GraphQL', async (t) => {
  const trellis = await startSubgraph(t, { sql: keys })
  await trackKeys(trellis)
  const query = `query ($big: bigint!) { _entities(representations: [{__typename: "Thing", at: "2020-01-02T03:04:05.678901+00:00",
    large: $big, tone: "red"}]) { ... on Thing { name large } } }`
  const body = `{"query": ${JSON.stringify(query)}, "variables": {"big": 9007199254740993}}`
  const { text } = await trellis.request('/v1/graphql', { body: Buffer.from(body) })
  assert.equal(text, '{"data":{"_entities":[{"name":"x","large":9007199254740993}]}}')
  const missing = { __typename: 'Thing', at: '2020-01-02', large: 1 }
  assert.deepEqual(await refused(trellis, [missing], '__typename'), [
    'validation-failed',
    '$.selectionSet._entities.args.representations[0]',
    'the representation of "Thing" needs the key field "tone"',
  ])
})

test('tables whose keys no gateway can ask for have no entities', async (t) => {
  const trellis = await startSubgraph(t, { sql: keys })
  await trackKeys(trellis)
  const { data } = await trellis.graphql<{ data: { __type: { possibleTypes: { name: string }[] } } }>(
    '{ __type(name: "_Entity") { possibleTypes { name } } }',
  )
  assert.deepEqual(data.__type.possibleTypes.map(({ name }) => name).sort(), ['Thing', 'book', 'publisher'])
})
