// The GraphQL API in the words and forms of version 2, beside that of v1.3 on the same database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql'
import { refusalOf } from '../graphql/mutations.ts'
import { graphqlWsClient, openApollo, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table book (id int primary key, title text, pages int, weight float4, in_print boolean, sold int check (sold >= 0));
  insert into book values (1, 'Tides', 300, 1.5, true, 3)`

const second = { graphqlInterface: '2' } as const
const none = { role: 'nobody' }
const writer = { role: 'writer' }

test('the GraphQL API of interface 2', async (t) => {
  const former = await startTrellis(t, { sql })
  await former.op('track_table', 'book')
  await former.op('create_insert_permission', {
    table: 'book',
    role: 'writer',
    permission: { columns: ['id', 'title', 'pages'], check: { pages: { _gt: 10 } } },
  })
  const trellis = await startTrellis(t, { database: former.database, settings: second })
  const { graphql } = trellis

  await t.test('a role without queries gets a field that says so, and has no subscriptions', async () => {
    const field = 'no_queries_available'
    const told =
      'There are no queries available to the current role. Either there are no sources or remote schemas ' +
      `configured, or the current role doesn't have the required permissions.`
    assert.deepEqual(await graphql(`{ ${field} __typename }`, {}, none), {
      data: { [field]: told, __typename: 'query_root' },
    })
    const roots = '{ __schema { queryType { name } mutationType { name } subscriptionType { name } } }'
    assert.deepEqual(await graphql(roots, {}, none), {
      data: { __schema: { queryType: { name: 'query_root' }, mutationType: null, subscriptionType: null } },
    })
    const socket = await openApollo(t, trellis.url, { headers: { 'x-service-role': 'nobody' } })
    socket.send({ type: 'start', id: '1', payload: { query: `subscription { ${field} }` } })
    const { payload } = await socket.next()
    assert.deepEqual(refusalOf(payload), { message: 'no subscriptions exist', path: '$', code: 'validation-failed' })
    const explain = { query: { query: `subscription { ${field} }` }, user: { 'x-service-role': 'nobody' } }
    const { status, body } = await trellis.request('/v1/graphql/explain', { body: explain })
    assert.deepEqual([status, body], [400, { path: '$', error: 'no subscriptions exist', code: 'validation-failed' }])
    assert.deepEqual(await former.graphql(`{ ${field} }`, {}, none), { data: { [field]: '' } })
  })

  await t.test('numbers and booleans may be texts in inserts and updates', async () => {
    const row = '{ affected_rows returning { pages weight in_print } }'
    const insert = `mutation { insert_book(objects: {id: 2, pages: "300", weight: "1.25", in_print: "true"}) ${row} }`
    const inserted = { affected_rows: 1, returning: [{ pages: 300, weight: 1.25, in_print: true }] }
    assert.deepEqual(await graphql(insert), { data: { insert_book: inserted } })
    const objects = [
      { id: '3', pages: '7', weight: '2', in_print: 'f' },
      { id: 4, pages: 8, weight: 2, in_print: false },
    ]
    const list = `mutation ($objects: [book_insert_input!]!) { insert_book(objects: $objects) ${row} }`
    assert.deepEqual(await graphql(list, { objects }), {
      data: {
        insert_book: {
          affected_rows: 2,
          returning: [7, 8].map((pages) => ({ pages, weight: 2, in_print: false })),
        },
      },
    })
    const update = `mutation ($pages: Int, $one: Int) {
      update_book_by_pk(pk_columns: {id: 2}, _set: {pages: $pages, in_print: "no"}) { pages in_print }
      again: update_book_by_pk(pk_columns: {id: 2}, _inc: {pages: $one}) { pages }
    }`
    assert.deepEqual(await graphql(update, { pages: '11', one: '1' }), {
      data: { update_book_by_pk: { pages: 11, in_print: false }, again: { pages: 12 } },
    })
    const wrong = await graphql('mutation { insert_book(objects: {id: 9, pages: "many"}) { affected_rows } }')
    assert.equal(refusalOf(wrong).code, 'data-exception')
    const name = refusalOf(await graphql('mutation { insert_book(objects: {id: 9, pages: MANY}) { affected_rows } }'))
    assert.match(name.message, /^expected a 32-bit integer for type "Int", but found an enum value$/)
    assert.match(refusalOf(await former.graphql(insert)).message, /^expected a 32-bit integer for type "Int"/)
  })

  await t.test("a failed check of a permission has its own error; checks of tables keep PostgreSQL's", async () => {
    const insert = (columns: string) => `mutation { insert_book(objects: {${columns}}) { affected_rows } }`
    const path = '$.selectionSet.insert_book.args.objects'
    const code = 'permission-error'
    const message = 'check constraint of an insert/update permission has failed'
    assert.deepEqual(refusalOf(await graphql(insert('id: 20, pages: 1'), {}, writer)), { message, path, code })
    const args = { table: 'book', objects: [{ id: 20, pages: 1 }] }
    const { status, body } = await trellis.opError('insert', args, writer)
    assert.deepEqual([status, body], [400, { path: '$.args', error: message, code }])
    const socket = await openApollo(t, trellis.url, { headers: { 'x-service-role': 'writer' } })
    socket.send({ type: 'start', id: '1', payload: { query: insert('id: 20, pages: 1') } })
    const { payload } = await socket.next()
    assert.equal(refusalOf(payload).message, message)
    assert.match(refusalOf(await graphql(insert('id: 20, sold: -1'))).message, /^Check constraint violation\. new row/)
    const before = refusalOf(await former.graphql(insert('id: 20, pages: 1'), {}, writer))
    assert.equal(before.message, 'Check constraint violation. insert check constraint failed')
  })

  await t.test('roles without update permission may skip existing rows', async () => {
    const insert = (conflict: string) =>
      `mutation { insert_book(objects: {id: 1, pages: 20}, on_conflict: {constraint: book_pkey, ${conflict}}) { affected_rows } }`
    const skipped = { data: { insert_book: { affected_rows: 0 } } }
    assert.deepEqual(await graphql(insert('update_columns: []'), {}, writer), skipped)
    assert.deepEqual(await graphql(insert(''), {}, writer), skipped)
    const refused = refusalOf(await graphql(insert('update_columns: [_PLACEHOLDER]'), {}, writer))
    assert.deepEqual(refused, {
      message: 'erroneous column name',
      path: '$.selectionSet.insert_book.args.on_conflict',
      code: 'validation-failed',
    })
    const values = '{ __type(name: "book_update_column") { enumValues { name } } }'
    assert.deepEqual(await graphql(values, {}, writer), {
      data: { __type: { enumValues: [{ name: '_PLACEHOLDER' }] } },
    })
    const { message } = refusalOf(await former.graphql(insert('update_columns: []'), {}, writer))
    assert.equal(message, '"insert_book" has no argument named "on_conflict"')
  })

  await t.test('words that clients compare', async () => {
    await trellis.op('create_select_permission', {
      table: 'book',
      role: 'owner',
      permission: { columns: ['id'], filter: { title: { _eq: 'X-Service-Title' } } },
    })
    const told = async (query: string, role = 'admin') => {
      const { message, code } = refusalOf(await graphql(query, {}, { role }))
      return [code, message]
    }
    const update = 'update_book(where: {}, _set: {pages: 1, sold: 2}, _inc: {sold: 1, pages: 1}) { affected_rows }'
    const natural = 'expected a non-negative 32-bit integer for type "Int", but found'
    assert.deepEqual(await told('{ book { id } }', 'owner'), [
      'not-found',
      'missing session variable: "x-service-title"',
    ])
    assert.deepEqual(await told('{ book(limit: -1) { id } }'), ['validation-failed', `${natural} an integer`])
    assert.deepEqual(await told('{ book(limit: "1") { id } }'), ['validation-failed', `${natural} a string`])
    assert.deepEqual(await told(`mutation { ${update} }`), [
      'validation-failed',
      'Column found in multiple operators: "pages", "sold".',
    ])
    assert.deepEqual(await told('query @include(if: true) { book { id } }'), [
      'validation-failed',
      'directive "include" is not allowed on a query',
    ])
    const refused = async (type: string, args: unknown) => {
      const { status, body } = await trellis.opError(type, args)
      const { code, error, path } = body as unknown as Record<string, unknown>
      return [status, code, path, error]
    }
    const permission = { table: 'book', role: 'admin', permission: { columns: '*', filter: {} } }
    const defined = 'select permission already defined on table "book" with role "admin"'
    assert.deepEqual(await refused('pg_create_select_permission', permission), [
      400,
      'already-exists',
      '$.args',
      defined,
    ])
    assert.deepEqual(await refused('pg_drop_relationship', { table: 'nope', relationship: 'x' }), [
      ...[400, 'not-exists', '$.args', 'table "nope" does not exist in source: default'],
    ])
    const table = 'nope'
    for (const [type, args, at] of [
      ['select', { table, columns: ['*'] }, '.table'],
      ['update', { table, where: {}, $set: { title: '' } }, '.table'],
      ['insert', { table, objects: [{}] }, ''],
      ['delete', { table, where: {} }, ''],
      ['count', { table }, ''],
    ] as const) {
      const unknown = [400, 'not-exists', `$.args${at}`, 'table "nope" does not exist in source: default']
      assert.deepEqual(await refused(type, args), unknown, type)
    }
    const using = { foreign_key_constraint_on: 'title' }
    const [, code, , error] = await refused('pg_create_object_relationship', { table: 'book', name: 'w', using })
    assert.equal(code, 'invalid-configuration')
    assert.match(String(error), /no foreign constraint exists on the given column\(s\)$/)
    const number = { table: 'book', name: 'w', using: { foreign_key_constraint_on: 1 } }
    assert.equal((await refused('pg_create_array_relationship', number))[3], 'Expecting object { table, columns }.')
    assert.deepEqual(await refused('add_collection_to_allowlist', {}), [
      ...[400, 'parse-failed', '$.args', 'key "collection" not found'],
    ])
    const query = { collection_name: 'c', query_name: 'all' }
    await trellis.op('create_query_collection', {
      name: 'c',
      definition: { queries: [{ name: 'all', query: 'subscription { book { id } }' }] },
    })
    const endpoint = { name: 'e', url: 'all', methods: ['GET'], definition: { query } }
    assert.deepEqual(await refused('create_rest_endpoint', endpoint), [
      ...[400, 'invalid-configuration', '$.args'],
      'Inconsistent object: in endpoint e: query with name all is a subscription',
    ])
    const template = { body: { action: 'transform', template: '{ $body.a }' } }
    const transform = { webhook_url: 'http://127.0.0.1/', body: {}, request_transform: { version: 2, ...template } }
    assert.deepEqual(await refused('test_webhook_transform', transform), [
      ...[400, 'parse-failed', '$.args.request_transform.body.template', "Unexpected token '$body'."],
    ])
  })

  await t.test('a subscription may have several root fields with a directive', async () => {
    const several =
      'subscription @_multiple_top_level_fields { book_by_pk(id: 1) { title } book_aggregate { aggregate { count } } }'
    const received = subscribeWith(graphqlWsClient(t, trellis.url), several)
    const [first] = (await received.atLeast(1)) as { data: { book_by_pk: unknown } }[]
    assert.deepEqual(first!.data.book_by_pk, { title: 'Tides' })
  })

  await t.test('the schema has the directive @cached, which has no effect', async () => {
    const query = '{ __schema { directives { name locations args { name defaultValue type { kind } } } } }'
    type Directives = { data: { __schema: { directives: { name: string }[] } } }
    const { data } = await graphql<Directives>(query)
    const kind = { kind: 'NON_NULL' }
    assert.deepEqual(
      data.__schema.directives.find(({ name }) => name === 'cached'),
      {
        name: 'cached',
        locations: ['QUERY'],
        args: [
          { name: 'refresh', defaultValue: 'false', type: kind },
          { name: 'ttl', defaultValue: '60', type: kind },
        ],
      },
    )
    const cached = 'query ($ttl: Int = 5) @cached(ttl: $ttl, refresh: true) { book_by_pk(id: 1) { title } }'
    assert.deepEqual(await graphql(cached), { data: { book_by_pk: { title: 'Tides' } } })
    const names = (await former.graphql<Directives>(query)).data.__schema.directives.map(({ name }) => name)
    assert.deepEqual(names, ['include', 'skip'])
  })

  await t.test('the schema of every role has the types of the directives', async () => {
    for (const role of ['nobody', 'writer', 'admin']) {
      for (const path of ['/v1/graphql', '/v1beta1/relay']) {
        const body = { query: getIntrospectionQuery() }
        const answer = await trellis.request<{ data: IntrospectionQuery }>(path, { body, role })
        const schema = buildClientSchema(answer.body.data)
        assert.deepEqual(validateSchema(schema), [], `${role} ${path}`)
        assert.equal(schema.getType('Int')?.name, 'Int')
      }
      const named = await graphql<{ data: object }>('{ __type(name: "Int") { kind } }', {}, { role })
      assert.deepEqual(named.data, { __type: { kind: 'SCALAR' } })
    }
  })

  await t.test('a null in a filter is refused, and the schema has the stricter types', async () => {
    const settings = { ...second, dialect: 'hasura' } as const
    const hasura = await startTrellis(t, { database: former.database, settings })
    const old = await startTrellis(t, { database: former.database, settings: { dialect: 'hasura' } })
    const refused: [where: string, path: string, message: string][] = [
      ['{id: {_eq: $id}}', 'id._eq', 'expected a 32-bit integer for type "Int", but found null'],
      ['{title: {_in: null}}', 'title._in', 'expected a list, but found null'],
      ['{id: null}', 'id', 'expected an object for type "Int_comparison_exp", but found null'],
      ['{_or: [null]}', '_or[0]', 'expected an object for type "book_bool_exp", but found null'],
    ]
    for (const [where, path, message] of refused) {
      const query = `mutation ($id: Int) { delete_book(where: ${where}) { affected_rows __typename @include(if: true) } }`
      const given = where.includes('$id') ? query : query.replace('($id: Int) ', '')
      const refusal = { message, path: `$.selectionSet.delete_book.args.where.${path}`, code: 'validation-failed' }
      assert.deepEqual(refusalOf(await hasura.graphql(given, where.includes('$id') ? { id: null } : {})), refusal)
    }
    const types = `{
      rows: __type(name: "book_aggregate_fields") { fields { name type { kind } } }
      where: __type(name: "book_bool_exp") { inputFields { name type { kind ofType { kind } } } }
    }`
    type Field = { name: string; type: { kind: string; ofType?: { kind: string } } }
    type Types = { data: { rows: { fields: Field[] }; where: { inputFields: Field[] } } }
    const kindsOf = ({ data: { rows, where } }: Types) => [
      rows.fields.find(({ name }) => name === 'count')!.type.kind,
      where.inputFields.find(({ name }) => name === '_and')!.type.ofType!.kind,
    ]
    assert.deepEqual(kindsOf(await hasura.graphql<Types>(types)), ['NON_NULL', 'NON_NULL'])
    assert.deepEqual(kindsOf(await old.graphql<Types>(types)), ['SCALAR', 'INPUT_OBJECT'])
    assert.deepEqual(await old.graphql('query ($id: Int) { book(where: {id: {_eq: $id}}, limit: 1) { __typename } }'), {
      data: { book: [{ __typename: 'book' }] },
    })
  })
})
