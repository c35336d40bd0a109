// The names that a source gives to its root fields and types, in every API that shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Contribution, fieldMap, graphql as g } from '../../sdk/graphql.ts'
import { definePlugin } from '../../sdk/index.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer, title text);
  create table colour (value text primary key, comment text);
  insert into writer values (1, 'Ann');
  insert into book values (1, 1, 'Dunes'), (2, 1, 'Moor');
  insert into colour values ('red', null);
  create table pen (id int primary key, colour text references colour);
  create function search_books(term text) returns setof book language sql stable
    as 'select * from book where title ilike term';
  create function rename_book(id int, title text) returns setof book language sql volatile
    as 'update book set title = $2 where id = $1 returning *'`

const table = (name: string, more: object = {}) => ({ table: { schema: 'public', name }, ...more })

const tables = [
  table('book', {
    object_relationships: [{ name: 'writer', using: { foreign_key_constraint_on: 'writer_id' } }],
    select_permissions: [
      { role: 'reader', permission: { columns: ['id', 'title'], filter: { title: { _neq: 'Moor' } } } },
    ],
  }),
  table('colour', { is_enum: true }),
  table('pen', { configuration: { custom_root_fields: { select: 'pencils' } } }),
  table('writer', {
    configuration: { custom_name: 'author' },
    array_relationships: [
      { name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'writer_id' } } },
    ],
  }),
]

const functions = ['rename_book', 'search_books'].map((name) => ({ function: { schema: 'public', name } }))

const document = (customization: unknown) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables, functions, customization }],
})

/** A field of books that JavaScript answers. */
const shouts: Contribution = {
  name: 'shouts',
  rowFields: (_, { name }) =>
    name.name === 'book'
      ? fieldMap({
          loud: () => ({
            type: g.GraphQLString,
            extensions: {
              row: {
                kind: 'resolved',
                needs: ['title'],
                resolve: (rows) => rows.map(({ title }) => String(title).toUpperCase()),
              },
            },
          }),
        })
      : fieldMap({}),
}

const shouting = definePlugin({
  name: 'shouting',
  register: (engine) => engine.graphql.contribute(shouts),
})

const affixes = { root_fields: { prefix: 'a_', suffix: '_z' }, type_names: { prefix: 'TA_', suffix: '_ZT' } }

test('a source names its root fields and types', async (t) => {
  const trellis = await startTrellis(t, { sql, plugins: [shouting] })
  const ask = async (type: string, args: unknown) => {
    const { status, body } = await trellis.request('/v1/metadata', { body: { type, args } })
    return { status, body }
  }
  const replace = (customization: unknown) => ask('replace_metadata', document(customization))
  type Errors = { errors?: { message: string; extensions: { path: string } }[] }
  const { graphql } = trellis
  const errorOf = async (query: string, options = {}) => {
    const { errors } = await graphql<Errors>(query, {}, options)
    const { message, extensions } = errors![0]!
    return { message, path: extensions.path }
  }
  assert.deepEqual(await replace(affixes), { status: 200, body: { message: 'success' } })

  await t.test('queries, mutations and functions', async () => {
    const query = `query ($where: TA_book_bool_exp_ZT, $order: [TA_book_order_by_ZT!], $args: TA_search_books_args_ZT!) {
      books: a_book_z(where: $where, order_by: $order) { __typename id writer { __typename name } }
      a_book_by_pk_z(id: 1) { title }
      a_book_aggregate_z { __typename aggregate { __typename count } }
      a_author_z { books_aggregate { __typename } }
      a_pencils_z { __typename }
      a_search_books_z(args: $args) { id }
    }`
    const variables = { where: { title: { _eq: 'Moor' } }, order: { id: 'asc' }, args: { term: 'd%' } }
    assert.deepEqual(await graphql(query, variables), {
      data: {
        books: [{ __typename: 'TA_book_ZT', id: 2, writer: { __typename: 'TA_author_ZT', name: 'Ann' } }],
        a_book_by_pk_z: { title: 'Dunes' },
        a_book_aggregate_z: {
          __typename: 'TA_book_aggregate_ZT',
          aggregate: { __typename: 'TA_book_aggregate_fields_ZT', count: 2 },
        },
        a_author_z: [{ books_aggregate: { __typename: 'TA_book_aggregate_ZT' } }],
        a_pencils_z: [],
        a_search_books_z: [{ id: 1 }],
      },
    })
    const change = `mutation ($rows: [TA_book_insert_input_ZT!]!) {
      a_insert_book_z(objects: $rows, on_conflict: {constraint: book_pkey, update_columns: []}) {
        __typename affected_rows
      }
      a_update_book_many_z(updates: [{where: {id: {_eq: 3}}, _set: {title: "Fen"}}]) { affected_rows }
      a_rename_book_z(args: {id: 3, title: "Bog"}) { title }
      a_delete_book_by_pk_z(id: 3) { title }
    }`
    assert.deepEqual(await graphql(change, { rows: [{ id: 3, title: 'Sea' }] }), {
      data: {
        a_insert_book_z: { __typename: 'TA_book_mutation_response_ZT', affected_rows: 1 },
        a_update_book_many_z: [{ affected_rows: 1 }],
        a_rename_book_z: [{ title: 'Bog' }],
        a_delete_book_by_pk_z: { title: 'Bog' },
      },
    })
  })

  await t.test('names without prefix and suffix are unknown', async () => {
    const unknown = (field: string) => ({
      message: `field "${field}" not found in type: 'query_root'`,
      path: `$.selectionSet.${field}`,
    })
    for (const field of ['book', 'a_book', 'pencils', '_z', 'a__z']) {
      assert.deepEqual(await errorOf(`{ ${field} { id } }`), unknown(field))
    }
  })

  await t.test('a role sees its rows under these names, and nothing else', async () => {
    const asReader = { role: 'reader' }
    assert.deepEqual(await graphql('{ a_book_z { __typename title } }', {}, asReader), {
      data: { a_book_z: [{ __typename: 'TA_book_ZT', title: 'Dunes' }] },
    })
    const { message } = await errorOf('{ a_author_z { name } }', asReader)
    assert.equal(message, `field "a_author_z" not found in type: 'query_root'`)
  })

  await t.test('introspection', async () => {
    type Types = { name: string; fields: { name: string }[] | null }[]
    const { data } = await graphql<{ data: { __schema: { types: Types } } }>(
      '{ __schema { types { name fields { name } } } }',
    )
    const { types } = data.__schema
    const names = types.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    const own = names.filter((name) => /book|author|pen|colour/.test(name))
    assert.deepEqual(
      own.filter((name) => !/^TA_.*_ZT(_comparison_exp)?$/.test(name)),
      [],
    )
    const roots = types.filter(({ name }) => name === 'query_root' || name === 'mutation_root')
    const fields = roots.flatMap(({ fields: each }) => each!.map(({ name }) => name))
    assert.deepEqual(
      fields.filter((name) => !/^a_.*_z$/.test(name)),
      [],
    )
    assert.deepEqual(await graphql('{ __type(name: "TA_colour_enum_ZT") { kind enumValues { name } } }'), {
      data: { __type: { kind: 'ENUM', enumValues: [{ name: 'red' }] } },
    })
  })

  await t.test('the Relay schema and explain', async () => {
    const query = '{ a_book_connection_z { __typename edges { __typename node { __typename title } } } }'
    const { body } = await trellis.request<{ data: unknown }>('/v1beta1/relay', { body: { query } })
    const edge = (title: string) => ({ __typename: 'TA_bookEdge_ZT', node: { __typename: 'TA_book_ZT', title } })
    assert.deepEqual(body.data, {
      a_book_connection_z: { __typename: 'TA_bookConnection_ZT', edges: [edge('Dunes'), edge('Moor')] },
    })
    const explained = await trellis.request<{ field: string }[]>('/v1/graphql/explain', {
      body: { query: { query: '{ a_book_z { id } }' } },
    })
    assert.deepEqual(
      explained.body.map(({ field }) => field),
      ['a_book_z'],
    )
  })

  await t.test('other objects may have the names that tables no longer have', async () => {
    const types = { objects: [{ name: 'book', fields: [{ name: 'id', type: 'Int!' }] }] }
    assert.equal((await ask('set_custom_types', types)).status, 200)
    const action = (name: string) => ({
      name,
      definition: { type: 'query', handler: 'http://127.0.0.1:1/', output_type: 'book', kind: 'synchronous' },
    })
    assert.equal((await ask('create_action', action('book'))).status, 200)
    const taken = await ask('create_action', action('a_search_books_z'))
    assert.equal((taken.body as { code: string }).code, 'unexpected')
    const named = await ask('set_custom_types', {
      objects: [...types.objects, { ...types.objects[0], name: 'TA_book_aggregate_ZT' }],
    })
    assert.equal((named.body as { code: string }).code, 'invalid-configuration')
    assert.equal((await ask('drop_action', { name: 'book' })).status, 200)
    assert.equal((await ask('set_custom_types', {})).status, 200)
  })

  await t.test('a namespace holds the root fields', async () => {
    const shop = { ...affixes, root_fields: { ...affixes.root_fields, namespace: 'shop' } }
    assert.deepEqual(await replace(shop), { status: 200, body: { message: 'success' } })
    assert.deepEqual(await graphql('{ shop { __typename a_book_by_pk_z(id: 1) { __typename id } } }'), {
      data: { shop: { __typename: 'TA_shop_query_ZT', a_book_by_pk_z: { __typename: 'TA_book_ZT', id: 1 } } },
    })
    const query = `query ($id: Int!) {
      __typename
      one: shop { first: a_book_by_pk_z(id: $id) { title loud } a_book_by_pk_z(id: 9) { id } }
      two: shop { __typename }
      shop { a_pencils_z { id } ...more }
    }
    fragment more on TA_shop_query_ZT { a_search_books_z(args: {term: "m%"}) { loud } }`
    assert.deepEqual(await graphql(query, { id: 1 }), {
      data: {
        __typename: 'query_root',
        one: { first: { title: 'Dunes', loud: 'DUNES' }, a_book_by_pk_z: null },
        two: { __typename: 'TA_shop_query_ZT' },
        shop: { a_pencils_z: [], a_search_books_z: [{ loud: 'MOOR' }] },
      },
    })
    const unknown = { message: `field "a_book_z" not found in type: 'query_root'`, path: '$.selectionSet.a_book_z' }
    assert.deepEqual(await errorOf('{ a_book_z { id } }'), unknown)
    assert.deepEqual(await errorOf('{ shop { book { id } } }'), {
      message: `field "book" not found in type: 'TA_shop_query_ZT'`,
      path: '$.selectionSet.shop.selectionSet.book',
    })
    assert.deepEqual(await graphql('{ shop { a_book_z { title } } }', {}, { role: 'reader' }), {
      data: { shop: { a_book_z: [{ title: 'Dunes' }] } },
    })
    assert.deepEqual(await errorOf('{ shop { __typename } }', { role: 'nobody' }), {
      message: `field "shop" not found in type: 'query_root'`,
      path: '$.selectionSet.shop',
    })
  })

  await t.test('mutations in a namespace', async () => {
    const insert = 'a_insert_book_one_z(object: {id: 4, title: "Heath"})'
    assert.deepEqual(await graphql(`mutation { m: shop { ${insert} { title } } }`), {
      data: { m: { a_insert_book_one_z: { title: 'Heath' } } },
    })
    const several = `mutation {
      shop {
        __typename
        a_update_book_by_pk_z(pk_columns: {id: 4}, _set: {title: "Møør"}) { title loud }
        a_rename_book_z(args: {id: 4, title: "Lea"}) { title }
        a_delete_book_by_pk_z(id: 4) { id }
        none: a_delete_book_z(where: {id: {_eq: 4}}) { affected_rows }
      }
      __typename
    }`
    assert.deepEqual(await graphql(several), {
      data: {
        shop: {
          __typename: 'TA_shop_mutation_frontend_ZT',
          a_update_book_by_pk_z: { title: 'Møør', loud: 'MØØR' },
          a_rename_book_z: [{ title: 'Lea' }],
          a_delete_book_by_pk_z: { id: 4 },
          none: { affected_rows: 0 },
        },
        __typename: 'mutation_root',
      },
    })
    const both = `mutation { shop { ${insert} { id } again: ${insert} { id } } }`
    const { path } = await errorOf(both)
    assert.equal(path, '$.selectionSet.shop.selectionSet.a_insert_book_one_z.args.object')
    assert.deepEqual(await graphql('{ shop { a_book_by_pk_z(id: 4) { id } } }'), {
      data: { shop: { a_book_by_pk_z: null } },
    })
  })

  await t.test('subscriptions in a namespace', async () => {
    const client = graphqlWsClient(t, trellis.url)
    const live = subscribeWith(client, 'subscription { shop { a_book_by_pk_z(id: 1) { title loud } } }', {})
    const plain = subscribeWith(
      client,
      'subscription { shop { books: a_book_aggregate_z { aggregate { count } } } }',
      {},
    )
    const stream = subscribeWith(
      client,
      'subscription { shop { a_book_stream_z(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } } }',
      {},
    )
    await Promise.all([live.atLeast(1), plain.atLeast(1), stream.atLeast(2)])
    assert.deepEqual(live.items[0], { data: { shop: { a_book_by_pk_z: { title: 'Dunes', loud: 'DUNES' } } } })
    assert.deepEqual(plain.items[0], { data: { shop: { books: { aggregate: { count: 2 } } } } })
    assert.deepEqual(
      stream.items.slice(0, 2),
      [1, 2].map((id) => ({ data: { shop: { a_book_stream_z: [{ id }] } } })),
    )
    const { message } = await errorOf('subscription { shop { a_book_z { id } a_pencils_z { id } } }')
    assert.match(message, /subscriptions/)
    await client.dispose()
  })

  await t.test('introspection, explain and claims with a namespace', async () => {
    const { data } = await graphql<{ data: { __type: { fields: { name: string }[] } } }>(
      '{ __type(name: "TA_shop_query_ZT") { fields { name } } }',
    )
    assert.ok(data.__type.fields.some(({ name }) => name === 'a_author_aggregate_z'))
    const explained = await trellis.request<{ field: string; sql: string }[]>('/v1/graphql/explain', {
      body: { query: { query: '{ shop { a_book_z { id } } }' } },
    })
    assert.deepEqual(
      explained.body.map(({ field }) => field),
      ['a_book_z'],
    )
    const relay = { query: '{ shop { a_book_connection_z { edges { node { title } } } } }' }
    const { body } = await trellis.request<{ data: { shop: object } }>('/v1beta1/relay', { body: relay })
    assert.deepEqual(Object.keys(body.data.shop), ['a_book_connection_z'])
    const types = { objects: [{ name: 'thing', fields: [{ name: 'id', type: 'Int!' }] }] }
    assert.equal((await ask('set_custom_types', types)).status, 200)
    const action = (name: string) => ({
      name,
      definition: { type: 'query', handler: 'http://127.0.0.1:1/', output_type: 'thing', kind: 'synchronous' },
    })
    assert.equal((await ask('create_action', action('a_book_z'))).status, 200)
    assert.equal(((await ask('create_action', action('shop'))).body as { code: string }).code, 'unexpected')
    const taken = await ask('set_custom_types', {
      objects: [...types.objects, { ...types.objects[0], name: 'TA_shop_query_ZT' }],
    })
    assert.equal(taken.status, 400)
  })

  await t.test(
    'texts that are not names are refused; without the customization the names are the usual ones',
    async () => {
      const refused = async (customization: unknown) => {
        const { status, body } = await replace(customization)
        const { path, error, code } = body as Record<string, string>
        assert.deepEqual([status, code], [400, 'parse-failed'])
        return `${path}: ${error}`
      }
      const at = '$.args.sources[0].customization'
      assert.equal(
        await refused({ root_fields: { prefix: '1' } }),
        `${at}.root_fields.prefix: "1" cannot begin a GraphQL name`,
      )
      assert.equal(
        await refused({ type_names: { prefix: '__' } }),
        `${at}.type_names.prefix: "__" cannot begin a GraphQL name`,
      )
      assert.equal(
        await refused({ type_names: { suffix: '-' } }),
        `${at}.type_names.suffix: "-" cannot end a GraphQL name`,
      )
      const conventions = 'naming_convention can either be "service-default" or "graphql-default"'
      assert.equal(await refused({ naming_convention: 'snake' }), `${at}.naming_convention: ${conventions}`)
      const camel = await ask('pg_update_source', { name: 'default', customization: { naming_convention: 'camel' } })
      assert.deepEqual(camel.body, {
        ...{ path: '$.args.customization.naming_convention', error: conventions },
        code: 'parse-failed',
      })
      const update = await ask('pg_update_source', { name: 'default', customization: { root_fields: { suffix: ' ' } } })
      assert.equal((update.body as { path: string }).path, '$.args.customization.root_fields.suffix')
      assert.deepEqual(await graphql('{ shop { a_book_by_pk_z(id: 1) { id } } }'), {
        data: { shop: { a_book_by_pk_z: { id: 1 } } },
      })

      const suffix = { root_fields: { suffix: '_s', prefix: null }, type_names: null }
      assert.equal((await ask('pg_update_source', { name: 'default', customization: suffix })).status, 200)
      assert.deepEqual(await graphql('{ book_by_pk_s(id: 1) { __typename } }'), {
        data: { book_by_pk_s: { __typename: 'book' } },
      })
      assert.equal((await ask('pg_update_source', { name: 'default', customization: {} })).status, 200)
      assert.deepEqual(await graphql('{ book_by_pk(id: 1) { __typename } }'), {
        data: { book_by_pk: { __typename: 'book' } },
      })
    },
  )
})
