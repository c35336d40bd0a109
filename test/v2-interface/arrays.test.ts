// Arrays of PostgreSQL, which clients of version 2 know as lists.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from 'graphql'
import { startJoined } from '../remote-relationships/joined.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create type mood as enum ('calm', 'wild');
  create table book (
    id int primary key, tags text[] not null default '{}', names varchar(9)[], pages int[][], moods mood[], notes jsonb[]);
  create table shelf (places int[] primary key, label text);
  create function tagged(tags text[]) returns setof book language sql stable
    as 'select * from book where book.tags @> tagged.tags'`

async function startedServer(t: TestContext) {
  const former = await startTrellis(t, { sql })
  for (const table of ['book', 'shelf']) await former.op('track_table', table)
  await former.op('track_function', 'tagged')
  const permission = { columns: ['id', 'tags'], filter: { tags: { $contains: ['open'] } } }
  await former.op('create_select_permission', { table: 'book', role: 'reader', permission })
  const server = await startTrellis(t, { database: former.database, settings: { graphqlInterface: '2' } })
  return { former, ...server }
}

const insertBook = `mutation ($id: Int!, $tags: [String!], $names: [String]!, $pages: [[Int!]!]) {
  insert_book_one(object: {id: $id, tags: $tags, names: $names, pages: $pages}) { id tags names pages }
}`
const book = { id: 1, tags: ['a', 'b, "c"'], names: ['x', null], pages: [[1, 2]] }

test('the schema has lists of the element, and the former scalars in interface 1.3', async (t) => {
  const { former, graphql } = await startedServer(t)
  const schemaOf = async (ask: typeof graphql) => {
    const { data } = (await ask(getIntrospectionQuery())) as { data: IntrospectionQuery }
    return buildClientSchema(data)
  }
  const schema = await schemaOf(graphql)
  const print = (name: string) =>
    printType(schema.getType(name)!)
      .replaceAll(/\n* *""".*?"""(?=\n)/gs, '')
      .trim()
  assert.equal(
    print('book'),
    `type book {
  id: Int!
  moods: [mood!]
  names: [String!]
  notes: [jsonb!]
  pages: [Int!]
  tags: [String!]!
}`,
  )
  assert.match(print('book_insert_input'), /tags: \[String!\]\n/)
  assert.match(print('book_set_input'), /moods: \[mood!\]\n/)
  assert.equal(schema.getType('book_inc_input')?.name, 'book_inc_input')
  assert.equal(print('book_inc_input'), 'input book_inc_input {\n  id: Int\n}')
  assert.match(print('book_stream_cursor_value_input'), /tags: \[String!\]\n/)
  assert.match(print('book_max_fields'), /pages: \[Int!\]\n/)
  assert.match(print('shelf_pk_columns_input'), /places: \[Int!\]!/)
  assert.match(print('tagged_args'), /tags: \[String!\]\n/)
  const byKey = schema.getQueryType()!.getFields()['shelf_by_pk']!
  assert.equal(String(byKey.args[0]!.type), '[Int!]!')
  assert.match(print('book_bool_exp'), /tags: String_array_comparison_exp\n/)
  assert.match(print('book_bool_exp'), /moods: mood_array_comparison_exp\n/)
  assert.equal(
    print('String_array_comparison_exp'),
    `input String_array_comparison_exp {
  _contained_in: [String!]
  _contains: [String!]
  _eq: [String!]
  _gt: [String!]
  _gte: [String!]
  _in: [[String!]!]
  _is_null: Boolean
  _lt: [String!]
  _lte: [String!]
  _neq: [String!]
  _nin: [[String!]!]
}`,
  )
  const description = `Boolean expression to compare columns of type "String". All fields are combined with logical 'AND'.`
  assert.equal(schema.getType('String_array_comparison_exp')?.description, description)
  assert.equal(schema.getType('_text'), undefined)
  const settings = { graphqlInterface: '2', disablePostgresArrays: true } as const
  const plain = await schemaOf((await startTrellis(t, { database: former.database, settings })).graphql)
  assert.match(printType(plain.getType('book')!), /tags: _text!/)
  const before = await schemaOf(former.graphql)
  assert.match(printType(before.getType('book')!), /tags: _text!/)
  assert.equal(before.getType('String_array_comparison_exp'), undefined)
})

test('variables and literals are lists or the text of an array', async (t) => {
  const { former, graphql } = await startedServer(t)
  assert.deepEqual(await graphql(insertBook, book), { data: { insert_book_one: book } })
  assert.deepEqual(await graphql(insertBook, { id: 2, tags: [], names: [] }), {
    data: { insert_book_one: { id: 2, tags: [], names: [], pages: null } },
  })
  const find = `query ($some: [String!] = ["a"], $own: [String!], $each: [String!]!, $all: [[String!]!], $one: String!) {
    book(where: {tags: {_contains: $some}}) { id }
    own: book(where: {tags: {_eq: $own}}) { id }
    each: book(where: {tags: {_in: [$each]}}) { id }
    all: book(where: {tags: {_in: $all}}) { id }
    text: book(where: {tags: {_contains: "{a}"}}) { id }
    numbers: book(where: {pages: {_eq: "{{1,2}}"}}) { id }
    lists: book(where: {pages: {_eq: [[1, 2]]}}) { id }
    within: book(where: {tags: {_contained_in: ["a", $one]}, id: {_eq: 1}}) { id }
    tagged(args: {tags: $each}) { id }
  }`
  const found = [{ id: 1 }]
  const values = { own: '{a,"b, \\"c\\""}', each: book.tags, all: [book.tags], one: 'b, "c"' }
  assert.deepEqual(await graphql(find, values), {
    data: {
      ...{ book: found, own: found, each: found, all: found, text: found, numbers: found, lists: found },
      ...{ within: found, tagged: found },
    },
  })
  const refused = await graphql('query ($n: [Int!]) { book(where: {tags: {_contains: $n}}) { id } }')
  assert.match(
    JSON.stringify(refused),
    /variable \\"n\\" is declared as \[Int!\], but used where \[String!\] is expected/,
  )
  const number = await graphql('{ book(where: {pages: {_contains: ["a"]}}) { id } }')
  assert.match(JSON.stringify(number), /expected a 32-bit integer for type \\"Int\\", but found a string/)
  const before = await former.graphql('query ($n: [String!]) { book(where: {tags: {_contains: $n}}) { id } }')
  assert.match(JSON.stringify(before), /variable \\"n\\" is declared as \[String!\], but used where _text is expected/)
})

test('keys, changes, aggregates and roles take and give lists', async (t) => {
  const { graphql } = await startedServer(t)
  await graphql(insertBook, book)
  assert.deepEqual(
    await graphql(`mutation {
      insert_shelf_one(object: {places: [1, 2], label: "low"}) { places }
      update_shelf_by_pk(pk_columns: {places: [1, 2]}, _set: {label: "high", places: [3]}) { places label }
      update_book(where: {id: {_eq: 1}}, _set: {tags: ["open"], moods: ["calm", "wild"], notes: [{a: 1}]}) {
        returning { tags moods notes }
      }
    }`),
    {
      data: {
        insert_shelf_one: { places: [1, 2] },
        update_shelf_by_pk: { places: [3], label: 'high' },
        update_book: {
          returning: [{ tags: ['open'], moods: ['calm', 'wild'], notes: [{ a: 1 }] }],
        },
      },
    },
  )
  assert.deepEqual(
    await graphql(
      `query ($key: [Int!]!) {
      shelf_by_pk(places: $key) { label }
      book(where: {notes: {_is_null: false}}, order_by: {tags: asc}, distinct_on: tags) { id }
      book_aggregate { aggregate { max { tags pages } count(columns: tags, distinct: true) } }
    }`,
      { key: [3] },
    ),
    {
      data: {
        shelf_by_pk: { label: 'high' },
        book: [{ id: 1 }],
        book_aggregate: { aggregate: { max: { tags: ['open'], pages: [[1, 2]] }, count: 1 } },
      },
    },
  )
  const seen = await graphql('{ book { tags } }', {}, { role: 'reader' })
  assert.deepEqual(seen, { data: { book: [{ tags: ['open'] }] } })
})

test('subscriptions and streams take and give lists', async (t) => {
  const { graphql, url } = await startedServer(t)
  await graphql(insertBook, book)
  const client = graphqlWsClient(t, url)
  const live = subscribeWith(
    client,
    'subscription ($tags: [String!]!) { book(where: {tags: {_contains: $tags}}) { tags } }',
    { tags: ['a'] },
  )
  assert.deepEqual((await live.atLeast(1))[0], { data: { book: [{ tags: book.tags }] } })
  const stream = subscribeWith(
    client,
    'subscription { book_stream(batch_size: 1, cursor: {initial_value: {tags: ["A"]}}) { tags } }',
  )
  assert.deepEqual((await stream.atLeast(1))[0], { data: { book_stream: [{ tags: book.tags }] } })
})

test('the list of a row is joined to an argument that takes a list', async (t) => {
  const { crm, trellis } = await startJoined(t, [], { settings: { graphqlInterface: '2' } })
  await trellis.sql(`alter table book add column readers int[]; update book set readers = array[3, id]`)
  await trellis.op('reload_metadata', {})
  const relationship = (argument: object) => ({
    ...{ name: 'read_by', table: 'book', service_fields: ['readers'], remote_schema: 'crm' },
    remote_field: { users: { arguments: { where: argument } } },
  })
  await trellis.op('create_remote_relationship', relationship({ ids: '$readers' }))
  const answer = await trellis.graphql('{ book(order_by: {id: asc}, limit: 1) { read_by { name } } }')
  assert.deepEqual(answer, { data: { book: [{ read_by: [{ name: 'user 3' }, { name: 'user 1' }] }] } })
  assert.equal(crm.asked().length, 1)
  const { body } = await trellis.opError('create_remote_relationship', {
    ...relationship({ name: '$readers' }),
    name: 'other',
  })
  assert.match(JSON.stringify(body), /expected type \\"String\\" but got \\"Int\\"/)
})

test('no type of an action has the name of the comparison of arrays', async (t) => {
  const { op, opError } = await startedServer(t)
  const types = (name: string) => ({ objects: [{ name, fields: [{ name: 'a', type: 'Int' }] }] })
  const { body } = await opError('set_custom_types', types('mood_array_comparison_exp'))
  assert.match(JSON.stringify(body), /mood_array_comparison_exp/)
  await op('set_custom_types', types('mood_list_comparison_exp'))
})

test('a remote schema may have a type that is equal to the rows of a table with lists', async (t) => {
  const types = 'type Query { remoteShelf: shelf } type shelf { places: [Int!]!  label: String }'
  const crm = await startCrm(t, types, { remoteShelf: { places: [1], label: 'low' } })
  const { database } = await startedServer(t)
  const settings = { dialect: 'hasura', graphqlInterface: '2' } as const
  const { op, graphql } = await startTrellis(t, { database, settings })
  await op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  assert.deepEqual(await graphql('{ remoteShelf { places label } shelf { places } }'), {
    data: { remoteShelf: { places: [1], label: 'low' }, shelf: [] },
  })
})
