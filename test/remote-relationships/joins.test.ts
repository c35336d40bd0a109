// Rows joined to fields of another GraphQL server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from 'graphql'
import { startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import { author, startJoined } from './joined.ts'

test('rows are joined with one request, in a document of aliased fields', async (t) => {
  const { crm, trellis } = await startJoined(t)
  const query = `query Q($first: Int) { book(order_by: {id: asc}) { title a: author { label: name notes(first: $first) { id } __typename } } }`
  const of = (id: number) => ({ label: `user ${id}`, notes: [{ id: `${id}-0` }], __typename: 'User' })
  assert.deepEqual(await trellis.graphql(query, { first: 1 }), {
    data: {
      book: [
        { title: 'Dawn', a: of(1) },
        { title: 'Ebb', a: of(2) },
        { title: 'Fog', a: of(3) },
      ],
    },
  })
  assert.deepEqual(crm.asked(), [
    {
      query:
        'query Q($first: Int, $j0_0: Int!, $j0_1: Int!, $j0_2: Int!) { user__0: user(id: $j0_0) { label: name notes(first: $first) { id } __typename } user__1: user(id: $j0_1) { label: name notes(first: $first) { id } __typename } user__2: user(id: $j0_2) { label: name notes(first: $first) { id } __typename } }',
      variables: { first: 1, j0_0: 1, j0_1: 2, j0_2: 3 },
      operationName: 'Q',
    },
  ])
})

test('rows are joined to unions, interfaces and scalars', async (t) => {
  const { crm, trellis } = await startJoined(t, [
    { ...author, name: 'thing', remote_field: { thing: { arguments: { id: '$id' } } } },
    { ...author, name: 'named', remote_field: { named: { arguments: {} } } },
  ])
  const fields = 'thing { __typename ... on User { name } } named { name ... on Car { wheels } }'
  const named = [{ name: 'user 1' }, { name: 'Beetle', wheels: 4 }]
  assert.deepEqual(await trellis.graphql(`{ book(limit: 2, order_by: {id: asc}) { ${fields} } }`), {
    data: { book: [1, 2].map((id) => ({ thing: { __typename: 'User', name: `user ${id}` }, named })) },
  })
  assert.equal(crm.asked().length, 1)
})

test('computed fields are joined like columns, with the session of the request', async (t) => {
  const { trellis } = await startJoined(t, [])
  await trellis.sql(`
    create function next_id(b book) returns int language sql stable as 'select b.id + 1';
    create function my_id(b book, session json) returns int language sql stable
      as 'select (session->>''x-service-user-id'')::int';
    create function many(b book) returns setof book language sql stable as 'select b'`)
  const computed = (name: string, more: object = {}) =>
    trellis.op('add_computed_field', { table: 'book', name, definition: { function: name, ...more } })
  await computed('next_id')
  await computed('my_id', { session_argument: 'session' })
  await computed('many')
  const by = (name: string, field: string) => ({
    ...{ ...author, name, service_fields: [field] },
    remote_field: { user: { arguments: { id: `$${field}` } } },
  })
  await trellis.op('create_remote_relationship', by('next', 'next_id'))
  await trellis.op('create_remote_relationship', by('me', 'my_id'))
  const refused = await trellis.opError('create_remote_relationship', by('all', 'many'))
  assert.match(JSON.stringify(refused.body), /field with name \\"many\\" not found in table/)

  const headers = { 'x-service-user-id': '7' }
  const query = '{ book(order_by: {id: asc}, limit: 2) { next { id } me { id } } }'
  assert.deepEqual(await trellis.graphql(query, {}, { headers }), {
    data: {
      book: [
        { next: { id: 2 }, me: { id: 7 } },
        { next: { id: 3 }, me: { id: 7 } },
      ],
    },
  })
  const changed = await trellis.graphql(
    'mutation { update_book_by_pk(pk_columns: {id: 1}, _set: {title: "New"}) { title next { id } } }',
  )
  assert.deepEqual(changed, { data: { update_book_by_pk: { title: 'New', next: { id: 2 } } } })

  const dropped = await trellis.opError('drop_computed_field', { table: 'book', name: 'next_id' })
  assert.match(
    JSON.stringify(dropped.body),
    /dependent objects : remote relationship book.next|remote_relationship book.next/,
  )
  await trellis.op('drop_computed_field', { table: 'book', name: 'next_id', cascade: true })
  assert.match(JSON.stringify(await trellis.graphql('{ book { next { id } } }')), /field \\"next\\" not found/)
})

test('computed fields are joined in ordered rows that have an object relationship, too', async (t) => {
  const { trellis } = await startJoined(t, [])
  await trellis.sql(`
    alter table book add column before int references book;
    update book set before = id - 1 where id > 1;
    create function next_id(b book) returns int language sql stable as 'select b.id + 1'`)
  await trellis.op('reload_metadata', {})
  const before = { table: 'book', name: 'previous', using: { foreign_key_constraint_on: 'before' } }
  await trellis.op('create_object_relationship', before)
  await trellis.op('add_computed_field', { table: 'book', name: 'next_id', definition: { function: 'next_id' } })
  const next = { ...author, name: 'next', service_fields: ['next_id'] }
  await trellis.op('create_remote_relationship', {
    ...next,
    remote_field: { user: { arguments: { id: '$next_id' } } },
  })
  const query = '{ book(order_by: {title: asc}) { title previous { id } next { id } } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      book: [
        { title: 'Dawn', previous: null, next: { id: 2 } },
        { title: 'Ebb', previous: { id: 1 }, next: { id: 3 } },
        { title: 'Fog', previous: { id: 2 }, next: { id: 4 } },
      ],
    },
  })
})

test('a longer selection is sent once, as a fragment', async (t) => {
  const { crm, trellis } = await startJoined(t)
  const selection = 'id name again: name label: name notes(first: 1) { id } __typename'
  const answer = await trellis.graphql(
    `{ book(where: {id: {_lte: 2}}, order_by: {id: asc}) { author { ${selection} } } }`,
  )
  const of = (id: number) => ({ id, ...named(`user ${id}`), notes: [{ id: `${id}-0` }], __typename: 'User' })
  const named = (name: string) => ({ name, again: name, label: name })
  assert.deepEqual(answer, { data: { book: [{ author: of(1) }, { author: of(2) }] } })
  assert.equal(
    crm.asked()[0]?.query,
    `query($j0_0: Int!, $j0_1: Int!) { user__0: user(id: $j0_0) { ...joined_0 } user__1: user(id: $j0_1) { ...joined_0 } } fragment joined_0 on User { ${selection} }`,
  )
})

test('rows with the same key share a field, and rows without a key have no value', async (t) => {
  const { crm, trellis } = await startJoined(t, [
    {
      ...author,
      service_fields: ['pages', 'publisher_id'],
      remote_field: { user: { arguments: { id: '$publisher_id' } } },
    },
    { ...author, name: 'paged', service_fields: ['pages'], remote_field: { user: { arguments: { id: '$pages' } } } },
  ])
  assert.deepEqual(await trellis.graphql('{ book(order_by: {id: asc}) { author { id } paged { id } } }'), {
    data: {
      book: [
        { author: { id: 1 }, paged: { id: 300 } },
        { author: { id: 1 }, paged: { id: 120 } },
        { author: { id: 2 }, paged: null },
      ],
    },
  })
  assert.equal(crm.asked().length, 1)
  assert.equal(crm.asked()[0]!.query.match(/user__\d+:/g)?.length, 4)
})

test('a value that is nested too deeply is refused beside a join, and served without joins', async (t) => {
  const { trellis } = await startJoined(t)
  const depth = 6000
  await trellis.sql(`alter table book add column details json;
    update book set details = (repeat('[', ${depth}) || '1.0' || repeat(']', ${depth}))::json where id = 1`)
  await trellis.op('reload_metadata', {})
  const books = <Body>(fields: string) => trellis.graphql<Body>(`{ book(where: {id: {_eq: 1}}) { ${fields} } }`)
  assert.deepEqual(await books('details author { id }'), {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'a value of the answer is nested too deeply' }],
  })
  assert.deepEqual(await books('author { id }'), { data: { book: [{ author: { id: 1 } }] } })
  const { data } = await books<{ data: { book: { details: unknown }[] } }>('details')
  let levels = 0
  for (let at = data.book[0]?.details; Array.isArray(at); at = at[0]) levels++
  assert.equal(levels, depth)
})

test('numbers that a double cannot hold are sent with all digits, for ID as strings', async (t) => {
  const { crm, trellis } = await startJoined(t, [])
  await trellis.sql(`create table post (id bigint primary key, price numeric);
    insert into post values (9007199254740993, 123456789012345678901234567890.50), (7, 1.50)`)
  await trellis.op('track_table', 'post')
  crm.types = `type Query { by(id: ID!, ids: [ID!], number: bigint, price: numeric, in: In): String }
    input In { id: ID } scalar bigint scalar numeric`
  await trellis.op('reload_remote_schema', { name: 'crm' })
  const args = { id: '$id', ids: ['$id'], in: { id: '$id' }, number: '$id', price: '$price' }
  await trellis.op('create_remote_relationship', {
    ...{ name: 'by', table: 'post', service_fields: ['id', 'price'], remote_schema: 'crm' },
    remote_field: { by: { arguments: args } },
  })
  await trellis.graphql('{ post(order_by: {id: asc}) { by } }')
  const { body } = crm.received.at(-1)!
  const own = body.slice(body.indexOf('"variables":')).matchAll(/"j0_(\d)(?:_(\d))?":([^,}]+\}?)/g)
  const sent = [...own].map(([, row, place, value]) => `${row} ${place ?? 0} ${value}`)
  assert.deepEqual(sent, [
    ...['0 0 7', '0 1 [7]', '0 2 7', '0 3 1.50', '0 4 {"id":7}'],
    ...['1 0 "9007199254740993"', '1 1 ["9007199254740993"]', '1 2 9007199254740993'],
    ...['1 3 123456789012345678901234567890.50', '1 4 {"id":"9007199254740993"}'],
  ])
})

test('nulls in requests are sent, so that defaults do not replace them', async (t) => {
  const all = { ...author, name: 'all', remote_field: { users: { arguments: { where: { ids: ['$id'] } } } } }
  const { crm, trellis } = await startJoined(t, [all])
  const query = (value: string) =>
    `query ($n: Int) { book_by_pk(id: 1) { all(limit: ${value}, where: {kind: null}) { id } } }`
  for (const [value, variables] of [
    ['null', {}],
    ['$n', { n: null }],
  ] as const) {
    await trellis.graphql(query(value), variables)
    const { query: sent, variables: values } = crm.asked().at(-1)!
    assert.match(sent, /users\(where: \$j0_0, limit: \$j0_0_1\)/)
    assert.deepEqual(values, { j0_0: { kind: null, ids: [1] }, j0_0_1: null })
  }
  await trellis.graphql(query('$n'))
  assert.match(crm.asked().at(-1)!.query, /users\(where: \$j0_0\)/)
})

test('members of input objects are left out if their variables have no value', async (t) => {
  const all = { ...author, name: 'all', remote_field: { users: { arguments: { where: { ids: ['$id'] } } } } }
  const { crm, trellis } = await startJoined(t, [all])
  const query = `query ($name: String, $city: String, $kind: Kind) {
    book_by_pk(id: 1) { all(where: {name: $name, nested: {city: $city, kind: $kind}}) { id } }
  }`
  await trellis.graphql(query, { city: null })
  assert.deepEqual(crm.asked().at(-1)!.variables, { j0_0: { nested: { city: null }, ids: [1] } })
  await trellis.graphql(query, { name: 'Ann', kind: 'BAD' })
  assert.deepEqual(crm.asked().at(-1)!.variables, { j0_0: { name: 'Ann', nested: { kind: 'BAD' }, ids: [1] } })
})

test('arguments may be constants, nested objects, and lists, and requests give the rest', async (t) => {
  const where = { name: 'x', ids: ['$id'], nested: { city: '$title' } }
  const { crm, trellis } = await startJoined(t, [
    {
      ...{ name: 'readers', table: 'book', service_fields: ['id', 'title'], remote_schema: 'crm' },
      remote_field: { users: { arguments: { where } } },
    },
    {
      ...{ name: 'friend_name', table: 'book', service_fields: ['id'], remote_schema: 'crm' },
      remote_field: {
        user: {
          arguments: { id: '$id', tags: ['a'] },
          field: { friend: { arguments: {}, field: { name: { arguments: {} } } } },
        },
      },
    },
    {
      ...{ name: 'said', table: 'book', service_fields: ['id'], remote_schema: 'crm' },
      remote_field: {
        user: { arguments: { id: '$id' }, field: { notes: { arguments: {}, field: { text: { arguments: {} } } } } },
      },
    },
  ])
  const query = `query ($ids: [Int!]) { book(order_by: {id: asc}, limit: 1) { friend_name said
    readers(where: {ids: $ids, nested: {name: "n"}, city: "Oslo"}, limit: 3) { id } } }`
  assert.deepEqual(await trellis.graphql(query, { ids: [9] }), {
    data: { book: [{ friend_name: 'user 101', said: ['note 0'], readers: [{ id: 9 }, { id: 1 }] }] },
  })
  const sent = crm.asked()[0]!
  const filter = { ids: [9, 1], nested: { name: 'n', city: 'Dawn' }, city: 'Oslo', name: 'x' }
  assert.ok(
    Object.values(sent.variables).some((value) => JSON.stringify(value) === JSON.stringify(filter)),
    JSON.stringify(sent.variables),
  )
  const type = `{ __type(name: "book") { fields { name args { name type { name kind ofType { name } } } } } filter: __type(name: "UserFilter_remote_rel_public_bookreaders") { inputFields { name } } }`
  const { data } = await trellis.graphql<{
    data: { __type: { fields: { name: string; args: { name: string }[] }[] }; filter: unknown }
  }>(type)
  const readers = data.__type.fields.find(({ name }) => name === 'readers')
  assert.deepEqual(
    readers?.args.map(({ name }) => name),
    ['limit', 'order', 'where'],
  )
  assert.deepEqual(data.filter, {
    inputFields: [{ name: 'city' }, { name: 'ids' }, { name: 'kind' }, { name: 'nested' }],
  })
})

test('a non-null list with a defined element may be left out', async (t) => {
  const types = `type Query { found(ids: [Int!]!, by: By): String } input By { ids: [Int]!  city: String }`
  const { crm, trellis } = await startJoined(t, [], { settings: { dialect: 'hasura' } })
  crm.types = types
  await trellis.op('reload_remote_schema', { name: 'crm' })
  await trellis.op('create_remote_relationship', {
    ...{ name: 'found', table: 'book', hasura_fields: ['id'], remote_schema: 'crm' },
    remote_field: { found: { arguments: { ids: ['$id'], by: { ids: ['$id'] } } } },
  })
  const sent = async (args: string) => {
    const { errors } = await trellis.graphql<{ errors?: unknown }>(`{ book_by_pk(id: 1) { found${args} } }`)
    assert.equal(errors, undefined)
    return Object.values(crm.asked().at(-1)!.variables)
  }
  assert.deepEqual(await sent(''), [[1], { ids: [1] }])
  assert.deepEqual(await sent('(by: {city: "Oslo"})'), [[1], { city: 'Oslo', ids: [1] }])
  assert.deepEqual(await sent('(ids: [9], by: {ids: 8})'), [[9, 1], { ids: [8, 1] }])
})

test('a @oneOf input keeps only the field that the relationship defines', async (t) => {
  const types = `type Query { found(by: By!, limit: Int): String }
    input By @oneOf { id: Int  name: String  where: Where }
    input Where { id: Int  city: String }`
  const crm = await startCrm(t, types, { found: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const relationship = (name: string, by: object) =>
    trellis.op('create_remote_relationship', { ...author, name, remote_field: { found: { arguments: { by } } } })
  await relationship('by_id', { id: '$id' })
  await relationship('by_where', { where: { id: '$id' } })
  const query = '{ book_by_pk(id: 1) { by_id(limit: 1) by_where(by: {where: {city: "Oslo"}}) } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      book_by_pk: {
        by_id: JSON.stringify({ by: { id: 1 }, limit: 1 }),
        by_where: JSON.stringify({ by: { where: { id: 1, city: 'Oslo' } } }),
      },
    },
  })
  const shown = await trellis.graphql<{ data: { __type: { fields: { name: string; args: { name: string }[] }[] } } }>(
    '{ __type(name: "book") { fields { name args { name } } } }',
  )
  const { args } = shown.data.__type.fields.find(({ name }) => name === 'by_id')!
  assert.deepEqual(args, [{ name: 'limit' }])
  const other = '{ book_by_pk(id: 1) { by_where(by: {name: "x"}) } }'
  const { errors } = await trellis.graphql<{ errors: { message: string }[] }>(other)
  assert.equal(errors[0]?.message, `field "name" not found in type: 'By_remote_rel_public_bookby_where'`)
})

test('an argument with a defined part does not use its default', async (t) => {
  const types = `type Query { found(by: By! = {id: 1, city: "Oslo"}, or: By = {id: 2}, of: Of! = {id: 3, city: "Rome"}): String }
    input By { id: Int  city: String = "Bern" }
    input Of { id: Int  city: String! }`
  const crm = await startCrm(t, types, { found: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const part = { id: '$id' }
  const remote_field = { found: { arguments: { by: part, or: part, of: part } } }
  await trellis.op('create_remote_relationship', { ...author, name: 'found', remote_field })
  const { data } = await trellis.graphql<{ data: IntrospectionQuery }>(getIntrospectionQuery())
  const left = (name: string) => `${name}_remote_rel_public_bookfound`
  const found = `found(by: ${left('By')}! = {  }, of: ${left('Of')}!, or: ${left('By')}): String`
  const book = buildClientSchema(data).getType('book')
  assert.ok(book && printType(book).includes(found))
  const query = '{ book_by_pk(id: 1) { found(of: {city: "Paris"}) } }'
  const by = { id: 1, city: 'Bern' }
  assert.deepEqual(await trellis.graphql(query), {
    data: { book_by_pk: { found: JSON.stringify({ by, or: by, of: { id: 1, city: 'Paris' } }) } },
  })
})

test('joins work in returning, relationships, and aggregates, and for roles that may not select the key', async (t) => {
  const { crm, trellis } = await startJoined(t)
  await trellis.op('create_select_permission', {
    table: 'book',
    role: 'reader',
    permission: { columns: ['title'], filter: {} },
  })
  const insert =
    'mutation { insert_book(objects: [{title: "Gale", publisher_id: 1}, {title: "Hail", publisher_id: 1}]) { returning { author { name } } } }'
  assert.deepEqual(await trellis.graphql(insert), {
    data: { insert_book: { returning: [{ author: { name: 'user 4' } }, { author: { name: 'user 5' } }] } },
  })
  const nested =
    '{ publisher(order_by: {id: asc}, limit: 2) { books(limit: 1, order_by: {id: asc}) { author { id } } } book_aggregate(limit: 1) { nodes { author { id } } } }'
  assert.deepEqual(await trellis.graphql(nested), {
    data: {
      publisher: [{ books: [{ author: { id: 1 } }] }, { books: [{ author: { id: 3 } }] }],
      book_aggregate: { nodes: [{ author: { id: 1 } }] },
    },
  })
  assert.equal(crm.asked().length, 2)
  const answer = await trellis.graphql('{ book(limit: 1) { title author { id } } }', {}, { role: 'reader' })
  assert.deepEqual(answer, { data: { book: [{ title: 'Dawn', author: { id: 1 } }] } })
})

test('errors of the remote server are at their rows', async (t) => {
  const { trellis } = await startJoined(t, [
    { ...author, remote_field: { user: { arguments: { id: '$id' }, field: { friend: { arguments: {} } } } } },
  ])
  const query = '{ book(order_by: {id: asc}, limit: 2) { author { id fails } } }'
  const error = (i: number) => ({
    extensions: { path: '$.selectionSet.book.selectionSet.author', code: 'unexpected' },
    message: `cannot say for ${i + 101}`,
    path: ['book', i, 'author', 'fails'],
  })
  const { data, errors } = await trellis.graphql<{ data: unknown; errors: unknown[] }>(query)
  assert.deepEqual(data, { book: [{ author: { id: 101, fails: null } }, { author: { id: 102, fails: null } }] })
  assert.deepEqual(errors, [error(0), error(1)])
})

test('errors discard all data in the other dialect', async (t) => {
  const relationship = { ...author, hasura_fields: ['id'], service_fields: undefined }
  const { trellis } = await startJoined(t, [relationship], { settings: { dialect: 'hasura' } })
  const { errors } = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(
    '{ book(limit: 1) { author { fails } } }',
  )
  assert.equal(errors[0]?.message, 'Errors from remote server')
  const { path, code, internal } = errors[0]!.extensions as {
    path: string
    code: string
    internal: { errors: unknown[] }
  }
  assert.deepEqual([path, code, internal.errors.length], ['$', 'unexpected', 1])
  const { tables } = await trellis.op<{ tables: { remote_relationships?: unknown }[] }>('export_metadata', {})
  const definition = { remote_schema: 'crm', hasura_fields: ['id'], remote_field: author.remote_field }
  assert.deepEqual(tables[0]?.remote_relationships, [{ name: 'author', definition }])
})

test('the rows are served if the remote server is down', async (t) => {
  const { crm, trellis } = await startJoined(t)
  await crm.stop()
  const { data, errors } = await trellis.graphql<{ data: unknown; errors: object[] }>(
    '{ book(limit: 2) { title author { id } } }',
  )
  assert.deepEqual(data, {
    book: [
      { title: 'Dawn', author: null },
      { title: 'Ebb', author: null },
    ],
  })
  assert.deepEqual(errors.length, 2)
})

test('explain and conditions refuse remote relationships, and plain HTTP refuses subscriptions', async (t) => {
  const { trellis } = await startJoined(t)
  const said = async (query: string) => {
    const { errors } = await trellis.graphql<{ errors: { message: string; extensions: { code: string } }[] }>(query)
    return [errors[0]?.extensions.code, errors[0]?.message]
  }
  const refusal = ['unexpected-payload', 'subscriptions are not supported over HTTP, use websockets instead']
  assert.deepEqual(await said('subscription { book { author { id } } }'), refusal)
  assert.deepEqual(await said('{ book(where: {author: {}}) { id } }'), [
    'validation-failed',
    `field "author" not found in type: 'book_bool_exp'`,
  ])
  const explained = await trellis.request<{ error: string }>('/v1/graphql/explain', {
    body: { query: { query: '{ book { author { id } } }' } },
  })
  assert.equal(explained.body.error, 'Remote relationships are not allowed in explain query')
})

test('a join of many rows equals a request for each row', async (t) => {
  const { crm, trellis } = await startJoined(t, [author], { settings: { remoteJoinBatchSize: 300 } })
  await trellis.sql(`insert into book (title, publisher_id) select 'b' || n, 1 from generate_series(1, 1097) n`)
  const { data } = await trellis.graphql<{ data: { book: { id: number; author: unknown }[] } }>(
    '{ book { id author { id name city } } }',
  )
  assert.equal(data.book.length, 1100)
  for (const { id, author: joined } of data.book) {
    const city = id % 2 ? 'Oslo' : null
    assert.deepEqual(joined, id > 1000 ? null : { id, name: `user ${id}`, city })
  }
  assert.equal(crm.asked().length, 4)
})
