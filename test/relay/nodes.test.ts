import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { ask, decoded, encoded, refused } from './relay.ts'

const id = (...parts: unknown[]) => encoded(`[1, ${parts.map((part) => JSON.stringify(part)).join(', ')}]`)

const byId =
  'query ($id: ID!) { node(id: $id) { __typename id ... on book { title } ...P } } fragment P on publisher { name }'

async function startPeople(t: TestContext): Promise<TestTrellis> {
  const sql = `create table person (first_name text, last_name text, age int, primary key (last_name, first_name));
    create schema crm; create table crm.thing (at timestamptz, big bigint, id text, primary key (at, big));
    create table note (id int, body text);
    insert into person values ('Ada', 'Byron', 36), ('Bob', 'Dylan', 60);
    insert into crm.thing values ('2020-01-02 03:04:05.678901+00', 9007199254740993, 'x');
    insert into note values (1, 'n')`
  const trellis = await startTrellis(t, { sql })
  const table = { schema: 'crm', name: 'thing' }
  const names = { custom_root_fields: { select: 'things', insert: 'add_thing' }, custom_column_names: { big: 'large' } }
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: 'note' },
  ])
  await trellis.op('track_table', { table, configuration: names }, { version: 2 })
  return trellis
}

test('a node of any table is found by its id', async (t) => {
  const trellis = await startLibrary(t)
  const { book_connection } = await ask<{ book_connection: { edges: { node: { id: string } }[] } }>(
    trellis,
    '{ book_connection(first: 1) { edges { node { id } } } }',
  )
  const book = book_connection.edges[0]!.node.id
  assert.equal(decoded(book), '[1, "public", "book", 1]')
  assert.deepEqual(await ask(trellis, byId, { id: book }), { node: { __typename: 'book', id: book, title: 'Dawn' } })
  const publisher = id('public', 'publisher', 2)
  assert.deepEqual(await ask(trellis, byId, { id: publisher }), {
    node: { __typename: 'publisher', id: publisher, name: 'Bell' },
  })
  assert.deepEqual(await ask(trellis, byId, { id: id('public', 'book', 99) }), { node: null })
  assert.deepEqual(await ask(trellis, byId, { id: id('public', 'book', null) }), { node: null })
  assert.deepEqual(await ask(trellis, byId, { id: id('public', 'book', '1') }), {
    node: { __typename: 'book', id: book, title: 'Dawn' },
  })
  const several = `{ a: node(id: "${book}") { ... on Node { id } ... on book { publisher { id } } } b: node(id: "${publisher}") { ... on book { id } } }`
  assert.deepEqual(await ask(trellis, several), {
    a: { id: book, publisher: { id: id('public', 'publisher', 1) } },
    b: {},
  })
})

test('ids hold the values of keys of any type and number of columns, exactly', async (t) => {
  const trellis = await startPeople(t)
  const query =
    '{ crm_thing_connection { edges { cursor node { id large } } } person_connection { edges { cursor node { id } } } }'
  interface Page {
    edges: { cursor: string; node: { id: string; large?: number } }[]
  }
  const data = await ask<{ crm_thing_connection: Page; person_connection: Page }>(trellis, query)
  const [thing] = data.crm_thing_connection.edges
  assert.equal(decoded(thing!.node.id), '[1, "crm", "thing", "2020-01-02T03:04:05.678901+00:00", 9007199254740993]')
  assert.equal(decoded(thing!.cursor), '{"at" : "2020-01-02T03:04:05.678901+00:00", "big" : 9007199254740993}')
  const people = data.person_connection.edges.map(({ node }) => decoded(node.id))
  assert.deepEqual(people, ['[1, "public", "person", "Byron", "Ada"]', '[1, "public", "person", "Dylan", "Bob"]'])
  const found = await ask(trellis, 'query ($id: ID!) { node(id: $id) { id ... on crm_thing { at } } }', {
    id: thing!.node.id,
  })
  assert.deepEqual(found, { node: { id: thing!.node.id, at: '2020-01-02T03:04:05.678901+00:00' } })
})

test('ids and cursors hold keys that are domains over domains', async (t) => {
  const sql = `create domain number as int; create domain ticket as number check (value > 0);
    create table seat (id ticket primary key, row ticket); insert into seat values (1, 9), (2, 8), (3, null)`
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'seat')
  interface Page {
    seat_connection: { edges: { cursor: string; node: { id: string } }[] }
  }
  const page = (order: string, c: string | null) =>
    ask<Page>(trellis, `query ($c: String) { seat_connection(${order}, after: $c) { edges { cursor node { id } } } }`, {
      c,
    })
  for (const order of ['order_by: {id: desc}', 'order_by: {row: asc}']) {
    const { edges } = (await page(order, null)).seat_connection
    assert.equal(edges.length, 3)
    for (const [i, { cursor, node }] of edges.entries()) {
      assert.deepEqual((await page(order, cursor)).seat_connection.edges, edges.slice(i + 1))
      assert.deepEqual(await ask(trellis, 'query ($id: ID!) { node(id: $id) { id } }', { id: node.id }), { node })
    }
  }
})

test('invalid ids are refused with the reason', async (t) => {
  const trellis = await startPeople(t)
  const path = '$.selectionSet.node'
  const refusals: [id: string, code: string, path: string, message: RegExp | string][] = [
    [
      encoded('{"a": 1}'),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: parsing [] failed, expected Array, but encountered Object',
    ],
    [encoded('[]'), 'validation-failed', `${path}.args.id`, 'Error in $: unexpected GUID format, found empty list'],
    [
      encoded('["1"]'),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: unexpected GUID format, needs to start with a version number',
    ],
    [encoded('[2, "a"]'), 'validation-failed', `${path}.args.id`, 'Error in $: unsupported GUID version: 2.0'],
    [
      encoded('[1, "public", "person"]'),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: GUID version 1: expecting schema name, table name and at least one column value',
    ],
    [
      encoded('[1, 2, "person", 3]'),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: parsing Text failed, expected String, but encountered Number',
    ],
    [
      encoded(`[1, "public", "person", "a", "b", ${'['.repeat(200_000)}${']'.repeat(200_000)}]`),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: the JSON is nested too deeply',
    ],
    [
      'A'.repeat(1_000_001),
      'validation-failed',
      `${path}.args.id`,
      'Error in $: the text has more than 1000000 characters',
    ],
    [encoded('[1,'), 'validation-failed', `${path}.args.id`, /^Error in \$: .*JSON/],
    ['', 'validation-failed', `${path}.args.id`, /^Error in \$: .*JSON/],
    [id('public', 'nobody', 1), 'validation-failed', `${path}.args.id`, `the table ${id('public', 'nobody', 1)}`],
    [id('public', 'note', 1), 'validation-failed', `${path}.args.id`, `the table ${id('public', 'note', 1)}`],
    [id('public', 'person', 'Byron'), 'validation-failed', path, 'primary key columns "first_name" are missing'],
    [id('public', 'person', 'a', 'b', 2, 'c'), 'validation-failed', path, 'unexpected column values [2,"c"]'],
  ]
  for (const [given, code, at, message] of refusals) {
    for (const answer of [
      await refused(trellis, 'query ($id: ID!) { node(id: $id) { id } }', { id: given }),
      await refused(trellis, `{ node(id: "${given}") { id } }`),
    ]) {
      assert.deepEqual(answer.slice(0, 2), [code, at], given)
      const text = String(answer[2])
      assert.ok(text.startsWith('the node id is invalid: '))
      const reason = text.slice('the node id is invalid: '.length)
      if (typeof message === 'string') assert.equal(reason, message)
      else assert.match(reason, message)
    }
  }
  const value = await refused(trellis, 'query ($id: ID!) { node(id: $id) { id } }', {
    id: id('public', 'person', 'a', 7),
  })
  const message =
    'value of column "first_name" in node id: parsing Text failed, expected String, but encountered Number'
  assert.deepEqual(value, ['parse-failed', path, message])
})

test('arguments and selections of node are checked', async (t) => {
  const trellis = await startLibrary(t)
  const book = id('public', 'book', 1)
  const path = '$.selectionSet.node'
  assert.deepEqual(await refused(trellis, '{ node(id: true) { id } }'), [
    'validation-failed',
    `${path}.args.id`,
    'expected a String or a 32-bit integer for type "ID", but found a boolean',
  ])
  assert.deepEqual(await refused(trellis, '{ node(id: null) { id } }'), [
    'validation-failed',
    `${path}.args.id`,
    'expected a String or a 32-bit integer for type "ID", but found null',
  ])
  assert.deepEqual(await refused(trellis, '{ node { id } }'), [
    'validation-failed',
    `${path}.args.id`,
    'missing required field "id"',
  ])
  for (const selection of ['title', '... on Node { title }', '... on book { title } title']) {
    const refusal = await refused(trellis, `{ node(id: "${book}") { ${selection} } }`)
    const message = `field "title" not found in type: 'Node'`
    assert.deepEqual(refusal, ['validation-failed', `${path}.selectionSet.title`, message], selection)
  }
  assert.deepEqual(await refused(trellis, `{ node(id: "${book}") }`), [
    'validation-failed',
    `${path}.selectionSet`,
    'missing selection set for "Node"',
  ])
})

test('requests for different nodes of a table share a plan', async (t) => {
  const trellis = await startLibrary(t)
  const session = { role: 'admin', variables: {}, backendOnly: false }
  const plan = (given: string) => {
    const request = { query: byId, variables: { id: given }, operationName: null }
    return trellis.engine.graphql.plan(request, session, { schema: 'relay' }).prepared
  }
  assert.equal(plan(id('public', 'book', 1)), plan(id('public', 'book', 2)))
  assert.notEqual(plan(id('public', 'book', 1)), plan(id('public', 'publisher', 1)))
})

test('mutations answer with nodes, and root fields keep their generated names', async (t) => {
  const trellis = await startPeople(t)
  const mutation =
    'mutation { insert_crm_thing_one(object: {at: "2021-01-01T00:00:00+00:00", large: 1, id: "y"}) { id } }'
  const made = encoded('[1, "crm", "thing", "2021-01-01T00:00:00+00:00", 1]')
  assert.deepEqual(await ask(trellis, mutation), { insert_crm_thing_one: { id: made } })
  const gone = 'mutation { delete_person(where: {age: {_gt: 50}}) { affected_rows returning { id } } }'
  assert.deepEqual(await ask(trellis, gone), {
    delete_person: { affected_rows: 1, returning: [{ id: id('public', 'person', 'Dylan', 'Bob') }] },
  })
})
