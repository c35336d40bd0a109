import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buildClientSchema,
  type GraphQLObjectType,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printType,
  validateSchema,
} from 'graphql'
import { type Contribution, definePlugin, graphql } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { ask, encoded, refused } from './relay.ts'

async function schemaOf(trellis: TestTrellis, role: string) {
  return buildClientSchema(await ask<IntrospectionQuery>(trellis, getIntrospectionQuery(), undefined, role))
}

const squeezed = (text: string) =>
  text
    .replace(/"""[\s\S]*?"""/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
    .trim()

const more = `create table loan (book_id int references book, place text); insert into loan values (1, 'Oslo');
  create function cheap(most numeric default 10) returns setof book language sql stable
    as $$ select * from book where price <= most $$`

async function startRelay(t: Parameters<typeof startLibrary>[0]): Promise<TestTrellis> {
  const trellis = await startLibrary(t)
  await trellis.sql(more)
  const loans = {
    name: 'loans',
    table: 'book',
    using: { foreign_key_constraint_on: { table: 'loan', column: 'book_id' } },
  }
  await trellis.op('bulk', [
    { type: 'track_table', args: 'loan' },
    { type: 'create_array_relationship', args: loans },
    { type: 'track_function', args: 'cheap' },
    {
      type: 'create_select_permission',
      args: {
        table: 'book',
        role: 'reader',
        permission: { columns: ['id', 'title'], filter: { id: { _lt: 3 } }, limit: 1 },
      },
    },
    {
      type: 'create_select_permission',
      args: { table: 'publisher', role: 'reader', permission: { columns: ['name'], filter: {} } },
    },
  ])
  return trellis
}

test('the schema has connections in place of the select fields, and is sound', async (t) => {
  const trellis = await startRelay(t)
  const schema = await schemaOf(trellis, 'admin')
  assert.deepEqual(validateSchema(schema), [])
  const type = (name: string) => squeezed(printType(schema.getType(name)!))
  const args = 'distinct_on: [book_select_column!] first: Int last: Int order_by: [book_order_by!] where: book_bool_exp'
  const booksArgs = `after: String before: String ${args}`
  assert.equal(
    type('query_root'),
    `type query_root { book_connection(${booksArgs}): bookConnection! ` +
      `cheap_connection(after: String args: cheap_args before: String ${args}): bookConnection! node(id: ID!): Node ` +
      `publisher_connection(${booksArgs.replaceAll('book_', 'publisher_')}): publisherConnection! }`,
  )
  assert.equal(type('subscription_root').replace('subscription_root', 'query_root'), type('query_root'))
  assert.equal(type('Node'), 'interface Node { id: ID! }')
  assert.equal(type('bookConnection'), 'type bookConnection { edges: [bookEdge!]! pageInfo: PageInfo! }')
  assert.equal(type('bookEdge'), 'type bookEdge { cursor: String! node: book! }')
  assert.equal(
    type('PageInfo'),
    'type PageInfo { endCursor: String! hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String! }',
  )
  assert.match(type('book'), /^type book implements Node \{ id: ID! loans\(.*loans_aggregate.* title: String! \}$/)
  assert.doesNotMatch(type('book'), /loans_connection/)
  assert.match(
    type('publisher'),
    / books\(.*\): \[book!\]! .*books_aggregate\(.*books_connection\(.*\): bookConnection! id: ID!/,
  )
  assert.equal(type('loan'), 'type loan { book_id: Int place: String }')
  assert.match(type('book_bool_exp'), / id: Int_comparison_exp /)
  assert.equal(schema.getMutationType()!.getFields().insert_book!.name, 'insert_book')
})

test('types and fields are described', async (t) => {
  const trellis = await startRelay(t)
  const schema = await schemaOf(trellis, 'admin')
  const fields = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields()
  assert.equal(schema.getType('Node')!.description, 'An object with globally unique ID')
  assert.equal(fields('Node').id!.description, 'A globally unique identifier')
  assert.equal(fields('query_root').node!.args[0]!.description, 'A globally unique id')
  assert.equal(schema.getType('bookConnection')!.description, 'A Relay connection object on "book"')
  assert.equal(fields('publisher').books_connection!.description, 'An array relationship connection')
})

test("the standard schema has no connections, and Relay's schema has no select fields", async (t) => {
  const trellis = await startRelay(t)
  const { data } = await trellis.graphql<{ data: unknown }>('{ book_by_pk(id: 1) { id } }')
  assert.deepEqual(data, { book_by_pk: { id: 1 } })
  const { errors } = await trellis.graphql<{ errors: { message: string }[] }>('{ node(id: "x") { id } }')
  assert.equal(errors[0]!.message, `field "node" not found in type: 'query_root'`)
  for (const field of ['book', 'book_by_pk', 'book_aggregate', 'cheap', 'loan_connection']) {
    const message = `field "${field}" not found in type: 'query_root'`
    assert.deepEqual(await refused(trellis, `{ ${field} { id } }`), [
      'validation-failed',
      `$.selectionSet.${field}`,
      message,
    ])
  }
})

test('functions have connections, their arguments beside those of the page', async (t) => {
  const trellis = await startRelay(t)
  const query = `{ cheap_connection(args: {most: "20"}, first: 1, order_by: {price: desc}) {
    edges { cursor node { title id } } pageInfo { hasNextPage } } none: cheap_connection(where: {id: {_gt: 3}}) { edges { cursor } } }`
  assert.deepEqual(await ask(trellis, query), {
    cheap_connection: {
      edges: [
        {
          cursor: encoded('{"price" : 12.50, "id" : 1}'),
          node: { title: 'Dawn', id: encoded('[1, "public", "book", 1]') },
        },
      ],
      pageInfo: { hasNextPage: true },
    },
    none: { edges: [] },
  })
})

test('a role sees permitted nodes with permitted fields', async (t) => {
  const trellis = await startRelay(t)
  const query = '{ book_connection { edges { node { id title } } pageInfo { hasNextPage hasPreviousPage } } }'
  const id = encoded('[1, "public", "book", 1]')
  assert.deepEqual(await ask(trellis, query, undefined, 'reader'), {
    book_connection: {
      edges: [{ node: { id, title: 'Dawn' } }],
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    },
  })
  const node = (key: number) => `{ node(id: "${encoded(`[1, "public", "book", ${key}]`)}") { id } }`
  assert.deepEqual(await ask(trellis, node(2), undefined, 'reader'), {
    node: { id: encoded('[1, "public", "book", 2]') },
  })
  assert.deepEqual(await ask(trellis, node(3), undefined, 'reader'), { node: null })
  const permission = { columns: ['id', 'title'], filter: {}, query_root_fields: ['select'] }
  await trellis.op('create_select_permission', { table: 'book', role: 'browser', permission })
  assert.deepEqual(await refused(trellis, node(2), undefined, 'browser'), [
    'validation-failed',
    '$.selectionSet.node.args.id',
    `the node id is invalid: the table ${encoded('[1, "public", "book", 2]')}`,
  ])
  const schema = await schemaOf(trellis, 'reader')
  assert.deepEqual(Object.keys(schema.getQueryType()!.getFields()), ['book_connection', 'cheap_connection', 'node'])
  const nobody = await schemaOf(trellis, 'nobody')
  assert.deepEqual(Object.keys(nobody.getQueryType()!.getFields()), ['node'])
})

test('a role has the root fields that its permission shows, of queries and of subscriptions', {
  timeout: 60_000,
}, async (t) => {
  const trellis = await startLibrary(t)
  const roles = {
    asking: { query_root_fields: ['select', 'select_by_pk'], subscription_root_fields: [] },
    listening: { query_root_fields: [], subscription_root_fields: ['select', 'select_by_pk'] },
  }
  const id = encoded('[1, "public", "book", 1]')
  const allowed = `{ node(id: "${id}") { id } }`
  const seen: unknown[] = []
  for (const [role, shown] of Object.entries(roles)) {
    const permission = { columns: ['id'], filter: {}, ...shown }
    await trellis.op('create_select_permission', { table: 'book', role, permission })
    const schema = await schemaOf(trellis, role)
    const fields = (type: GraphQLObjectType | null | undefined) => Object.keys(type!.getFields())
    seen.push([fields(schema.getQueryType()), fields(schema.getSubscriptionType())])
    const operation = role === 'asking' ? `subscription ${allowed}` : allowed
    const headers = { accept: 'text/event-stream' }
    const { text } = await trellis.request('/v1beta1/relay', { body: { query: operation }, headers, role })
    assert.match(text, /the node id is invalid: the table/)
  }
  assert.deepEqual(seen, [
    [['book_connection', 'node'], ['node']],
    [['node'], ['book_connection', 'node']],
  ])
  assert.deepEqual(await ask(trellis, allowed, undefined, 'asking'), { node: { id } })
})

test('rows whose key the role may not select are not nodes', async (t) => {
  const trellis = await startRelay(t)
  const publisher = encoded('[1, "public", "publisher", 1]')
  const refusal = await refused(trellis, `{ node(id: "${publisher}") { id } }`, undefined, 'reader')
  const message = `the node id is invalid: the table ${publisher}`
  assert.deepEqual(refusal, ['validation-failed', '$.selectionSet.node.args.id', message])
})

test('errors are answered with status 200, and batches work', async (t) => {
  const trellis = await startLibrary(t)
  const { status, body } = await trellis.request('/v1beta1/relay', { body: { query: '{' } })
  assert.equal(status, 200)
  assert.equal((body as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code, 'validation-failed')
  const batch = await trellis.request('/v1beta1/relay', { body: [{ query: '{ __typename }' }, { query: '{ x }' }] })
  const [first, second] = batch.body as [unknown, { errors: unknown[] }]
  assert.deepEqual(first, { data: { __typename: 'query_root' } })
  assert.equal(second.errors.length, 1)
  const got = await trellis.request('/v1beta1/relay?query=%7B__typename%7D')
  assert.deepEqual([got.status, got.body], [200, first])
})

test('the endpoint is closed with the API graphql', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: ['metadata'] } })
  assert.equal((await trellis.request('/v1beta1/relay', { body: { query: '{ __typename }' } })).status, 404)
})

test('computed fields and fields that plugins answer are found in connections and nodes', async (t) => {
  const moods = definePlugin({
    name: 'moods',
    dependencies: ['tables'],
    register(engine) {
      const resolve = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ title }) => `${title}!`)
      const row = { kind: 'resolved', needs: ['title'], resolve } as const
      const field = () => ({ type: graphql.GraphQLString, extensions: { row } })
      const rowFields: Contribution['rowFields'] = (_scope, { name }) =>
        new Map(name.name === 'book' ? [['mood', field]] : [])
      engine.graphql.contribute({ name: 'moods', rowFields })
    },
  })
  const trellis = await startLibrary(t, { plugins: [moods] })
  await trellis.sql(`create function label(b book) returns text language sql stable as $$ select b.id || b.title $$;
    create function siblings(b book) returns setof book language sql stable
      as $$ select * from book where publisher_id = b.publisher_id and id <> b.id $$`)
  await trellis.op('add_computed_field', { table: 'book', name: 'label', definition: { function: 'label' } })
  await trellis.op('add_computed_field', { table: 'book', name: 'siblings', definition: { function: 'siblings' } })
  const fields = 'label mood siblings { id label }'
  const query = `{ book_connection(last: 2) { edges { node { ${fields} } } }
    node(id: "${encoded('[1, "public", "book", 1]')}") { ... on book { ${fields} } } }`
  const sibling = (key: number, label: string) => ({ id: encoded(`[1, "public", "book", ${key}]`), label })
  assert.deepEqual(await ask(trellis, query), {
    book_connection: {
      edges: [
        { node: { label: '2Ebb', mood: 'Ebb!', siblings: [sibling(1, '1Dawn')] } },
        { node: { label: '3Fog', mood: 'Fog!', siblings: [] } },
      ],
    },
    node: { label: '1Dawn', mood: 'Dawn!', siblings: [sibling(2, '2Ebb')] },
  })
})
