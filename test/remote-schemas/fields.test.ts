// Root fields of remote schemas beside those of tables.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startCrm, startWithCrm } from './crm.ts'

test('remote fields and fields of tables come in the order of the request', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const query = `query Both($id: Int!, $unused: Int!, $yes: Boolean!) {
    first: user(id: $id) { ...named  notes(first: 2) { id } }
    book(where: {id: {_eq: $unused}}) { title }
    user(id: 2) { __typename  friend { ...named @include(if: $yes) id @skip(if: $yes) } }
  } fragment named on User { label: name }`
  assert.deepEqual(await trellis.graphql(query, { id: 1, unused: 1, yes: true }), {
    data: {
      first: { label: 'user 1', notes: [{ id: '1-0' }, { id: '1-1' }] },
      book: [{ title: 'Dawn' }],
      user: { __typename: 'User', friend: { label: 'user 102' } },
    },
  })
  assert.deepEqual(crm.asked(), [
    {
      query:
        'query Both($id: Int!) { first: user(id: $id) { label: name notes(first: 2) { id } } user(id: 2) { __typename friend { label: name } } }',
      variables: { id: 1 },
      operationName: 'Both',
    },
  ])
})

test('an answer of one remote server is passed through byte for byte', async (t) => {
  const { trellis } = await startWithCrm(t)
  const answer = await trellis.request('/v1/graphql', {
    body: { query: '{ b: user(id: -1) { id } user(id: 1) { id } }' },
  })
  assert.equal(answer.status, 200)
  assert.equal(
    answer.text,
    '{"errors":[{"message":"no user -1","locations":[{"line":1,"column":9}],"path":["b"]}],"data":{"b":null,"user":{"id":1}}}',
  )
  assert.equal(answer.headers.get('set-cookie'), 'seen=1')
  assert.equal(answer.headers.get('x-other'), null)
})

test('errors of a remote server come with the data, at their fields', async (t) => {
  const { trellis } = await startWithCrm(t)
  const query = '{ book_by_pk(id: 1) { title } user(id: 1) { id fails } lost: user(id: -1) { id } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: { book_by_pk: { title: 'Dawn' }, user: { id: 1, fails: null }, lost: null },
    errors: [
      {
        extensions: { path: '$.selectionSet.user', code: 'unexpected' },
        message: 'cannot say for 1',
        path: ['user', 'fails'],
      },
      {
        extensions: { path: '$.selectionSet.user', code: 'unexpected' },
        message: 'no user -1',
        path: ['lost'],
      },
    ],
  })
})

test('a failed non-null field is the only one with an error', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const query = '{ book_by_pk(id: 1) { title } users { id } named { ... on User { id } } broken user(id: 1) { id } }'
  const extensions = { path: '$.selectionSet.broken', code: 'unexpected' }
  assert.deepEqual(await trellis.graphql(query), {
    data: null,
    errors: [{ extensions, message: 'it is broken', path: ['broken'] }],
  })
  crm.answer = () => ({ body: { data: null, errors: [{ message: 'not today' }] } })
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { title } user(id: 1) { id } users { id } }'), {
    data: null,
    errors: [{ message: 'not today' }],
  })
})

test('interfaces and unions are answered by the types of their values', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const remote = `named { __typename name ... on Car { wheels } ... on User { city } }
    a: thing(id: "car") { ... on Named { name } ... on Car { wheels } }
    b: thing(id: "note") { kind: __typename ... on Note { text } }
    c: thing(id: "7") { ... on Car { wheels } }`
  const data = {
    named: [
      { __typename: 'User', name: 'user 1', city: 'Oslo' },
      { __typename: 'Car', name: 'Beetle', wheels: 4 },
    ],
    a: { name: 'Beetle', wheels: 4 },
    b: { kind: 'Note', text: 'n' },
    c: {},
  }
  assert.deepEqual(await trellis.graphql(`{ ${remote} }`), { data })
  assert.deepEqual(await trellis.graphql(`{ ${remote} __typename }`), { data: { ...data, __typename: 'query_root' } })
  await trellis.graphql('{ named { name } }')
  assert.equal(crm.asked().at(-1)?.query, 'query { named { name } }')
})

test('fragments on a union apply to its members before the union was used', async (t) => {
  const { trellis } = await startWithCrm(t)
  const query = '{ user(id: 1) { ... on Thing { ... on User { name } } } named { ... on Thing { __typename } } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: { user: { name: 'user 1' }, named: [{ __typename: 'User' }, { __typename: 'Car' }] },
  })
})

test('members of interfaces and unions come in the order of the request, for any nullability', async (t) => {
  const types = `type Query { named: [Named!]!  things: [Thing!]! }
    interface Named { id: ID  name: String  friend: Named }
    type User implements Named { id: ID!  name: String  friend: Car  city: String }
    type Car implements Named { id: ID  name: String!  friend: Named }
    union Thing = User | Car`
  const friend = { __typename: 'Car', id: 2, name: 'Beetle' }
  const all = [{ __typename: 'User', id: 1, name: 'Ann', friend, city: 'Oslo' }, friend]
  const crm = await startCrm(t, types, { named: all, things: all })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const cases: [query: string, answer: string, asked: string][] = [
    [
      'named { id ... on User { city } name __typename }',
      '"named":[{"id":"1","city":"Oslo","name":"Ann","__typename":"User"},{"id":"2","name":"Beetle","__typename":"Car"}]',
      'named { id ... on User { city } name __typename }',
    ],
    [
      'named { ... on User { friend { name } } ... on Car { friend { id } } id }',
      '"named":[{"friend":{"name":"Beetle"},"id":"1"},{"friend":null,"id":"2"}]',
      'named { ... on User { friend { name } } ... on Car { friend { id } } id }',
    ],
    [
      'things { ... on User { city } ... on Named { id } __typename }',
      '"things":[{"city":"Oslo","id":"1","__typename":"User"},{"id":"2","__typename":"Car"}]',
      'things { ... on User { city } ... on Named { id } __typename }',
    ],
  ]
  for (const [query, answer, asked] of cases) {
    const alone = await trellis.request('/v1/graphql', { body: { query: `{ ${query} }` } })
    assert.equal(alone.text, `{"data":{${answer}}}`)
    assert.equal(crm.asked().at(-1)!.query, `query { ${asked} }`)
    const beside = await trellis.request('/v1/graphql', { body: { query: `{ ${query} __typename }` } })
    assert.equal(beside.text, `{"data":{${answer},"__typename":"query_root"}}`)
  }
})

test('fields of an interface that differ in nullability get other aliases in the request', async (t) => {
  const types = `type Query { things: [Thing]  shelf(id: Int!): Shelf }
    type Shelf { things: [Thing] }
    interface Named { id: ID!  name: String  friend: Named }
    type User implements Named { id: ID!  name: String!  friend: User }
    type Car implements Named { id: ID!  name: String  friend: Named }
    type Note { id: ID! }
    union Thing = User | Car | Note`
  const user = { __typename: 'User', id: 1, name: 'Ann', friend: () => ({ id: 3, name: 'Bo' }) }
  const fail = () => {
    throw new Error('nobody')
  }
  const car = { __typename: 'Car', id: 2, name: fail, friend: user }
  const things = [user, car, { __typename: 'Note', id: 5 }]
  const crm = await startCrm(t, types, { things, shelf: { things } })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const query = 'things { ... on Named { title: name friend { name } } }'
  const data = {
    things: [{ title: 'Ann', friend: { name: 'Bo' } }, { title: null, friend: { name: 'Ann' } }, {}],
  }
  const error = { message: 'nobody', path: ['things', 1, 'title'] }
  const { data: alone, errors } = await trellis.graphql<{
    data: unknown
    errors: { message: string; path: unknown }[]
  }>(`{ ${query} }`)
  assert.deepEqual(alone, data)
  assert.deepEqual(
    errors.map(({ message, path }) => ({ message, path })),
    [error],
  )
  const user_ = '... on User { title: name friend { name } }'
  const car_ = '... on Car { title__Car: name friend__Car: friend { __type_of_value: __typename name } }'
  assert.equal(crm.asked().at(-1)!.query, `query { things { __type_of_value: __typename ${user_} ${car_} } }`)
  const field = { shelf: { arguments: { id: '$id' } } }
  const relationship = {
    name: 'shelf',
    table: 'book',
    service_fields: ['id'],
    remote_schema: 'crm',
    remote_field: field,
  }
  await trellis.op('create_remote_relationship', relationship)
  assert.deepEqual(await trellis.graphql(`{ book_by_pk(id: 1) { shelf { ${query} } } }`), {
    data: { book_by_pk: { shelf: data } },
    errors: [
      {
        message: 'nobody',
        path: ['book_by_pk', 'shelf', ...error.path],
        extensions: { path: '$.selectionSet.book_by_pk.selectionSet.shelf', code: 'unexpected' },
      },
    ],
  })
})

test('a variable without a value leaves a non-null argument to its default', async (t) => {
  const types = `type Query { echo(n: Int! = 3, range: Range): String }
    input Range { from: Int! = 5  to: Int }`
  const crm = await startCrm(t, types, { echo: (args: object) => JSON.stringify(args) })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const query = 'query ($n: Int, $from: Int, $to: Int) { echo(n: $n, range: {from: $from, to: $to}) __typename }'
  const echo = (args: object) => ({ data: { echo: JSON.stringify(args), __typename: 'query_root' } })
  assert.deepEqual(await trellis.graphql(query), echo({ n: 3, range: { from: 5 } }))
  assert.deepEqual(await trellis.graphql(query, { n: 1, to: 2 }), echo({ n: 1, range: { from: 5, to: 2 } }))
  const { errors } = await trellis.graphql<{ errors: { message: string; extensions: unknown }[] }>(query, {
    from: null,
  })
  assert.deepEqual(errors, [
    {
      message: 'expected a 32-bit integer for type "Int", but found null',
      extensions: { path: '$.selectionSet.echo.args.range.from', code: 'validation-failed' },
    },
  ])
})

test('mutations of a remote server run beside those of tables', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const mutation = `mutation { rename(id: 1, name: "Ann") { name } delete_book(where: {id: {_eq: 1}}) { affected_rows } b: rename(id: 2, name: "Bob") { id } }`
  assert.deepEqual(await trellis.graphql(mutation), {
    data: { rename: { name: 'Ann' }, delete_book: { affected_rows: 1 }, b: { id: 2 } },
  })
  assert.deepEqual(
    crm.asked().map(({ query }) => query),
    ['mutation { rename(id: 1, name: "Ann") { name } }', 'mutation { b: rename(id: 2, name: "Bob") { id } }'],
  )
})

test('wrong requests are refused before anything is sent', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const refusals: [query: string, path: string, code: string, message: string][] = [
    [
      '{ nobody { id } }',
      '$.selectionSet.nobody',
      'validation-failed',
      `field "nobody" not found in type: 'query_root'`,
    ],
    [
      '{ user(id: 1) { nothing } }',
      '$.selectionSet.user.selectionSet.nothing',
      'validation-failed',
      `field "nothing" not found in type: 'User'`,
    ],
    [
      '{ user(id: "a") { id } }',
      '$.selectionSet.user.args.id',
      'validation-failed',
      'expected a 32-bit integer for type "Int", but found a string',
    ],
    ['{ user { id } }', '$.selectionSet.user.args.id', 'validation-failed', 'missing required field "id"'],
    [
      '{ users(order: UP) { id } }',
      '$.selectionSet.users.args.order',
      'validation-failed',
      'expected one of the values ASC or DESC for type "Order", but found "UP"',
    ],
    [
      '{ users(where: {nested: {nobody: 1}}) { id } }',
      '$.selectionSet.users.args.where.nested.nobody',
      'validation-failed',
      `field "nobody" not found in type: 'UserFilter'`,
    ],
    [
      'subscription { ticks }',
      '$',
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    ],
  ]
  for (const [query, path, code, message] of refusals) {
    const { errors } = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(query)
    const { hint: _, ...extensions } = errors[0]!.extensions as { hint?: string }
    assert.deepEqual([extensions, errors[0]!.message], [{ path, code }, message])
  }
  assert.deepEqual(crm.asked(), [])
})

test('values of any kind arrive as they were written', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  const query = `query ($w: UserFilter, $v: JSON, $l: [Int!]) {
    users(where: $w, order: DESC) { id }  a: echo(value: $v)  b: echo(value: {x: [1, 2.5, "é", null, true]}, kind: BAD)
    c: users(where: {nested: {kind: GOOD, ids: $l}}) { id } __typename
  }`
  const big = '{"n":12345678901234567890,"s":"\\u0000"}'
  const body = `{"query":${JSON.stringify(query)},"variables":{"w":{"ids":[5,6]},"v":${big},"l":7}}`
  const { text } = await trellis.request('/v1/graphql', { body })
  assert.match(crm.received.at(-1)!.body, /"v":\{"n":12345678901234567890,/)
  assert.equal(
    text,
    `{"data":{"users":[{"id":5},{"id":6}],"a":{"n":12345678901234567000,"s":"\\u0000"},"b":{"x":[1,2.5,"é",null,true]},"c":[{"id":1},{"id":2}],"__typename":"query_root"}}`,
  )
})

test('session variables and configured headers are sent, and headers of the client if they are forwarded', async (t) => {
  const { crm, trellis } = await startWithCrm(t, {
    forward_client_headers: true,
    headers: [
      { name: 'X-Key', value: 'configured' },
      { name: 'X-Service-Org', value: 'fixed' },
    ],
  })
  const headers = {
    ...{
      'x-service-role': 'clerk',
      'x-service-user-id': Buffer.from('né').toString('latin1'),
      'x-service-org': 'mine',
      'x-key': 'client',
      cookie: 'a=1',
    },
    ...{ authorization: 'Bearer 1', 'user-agent': 'me', 'x-custom': 'yes' },
  }
  await trellis.request('/v1/graphql', { body: { query: '{ user(id: 1) { id } }' }, headers })
  const { headers: sent } = crm.received.at(-1)!
  assert.equal(sent['x-service-role'], 'clerk')
  assert.equal(Buffer.from(String(sent['x-service-user-id']), 'latin1').toString(), 'né')
  const seen = [
    'x-service-org',
    'x-key',
    'cookie',
    'authorization',
    'x-custom',
    'x-forwarded-user-agent',
    'origin',
    'content-type',
  ]
  assert.deepEqual(
    seen.map((name) => sent[name]),
    ['fixed', 'configured', 'a=1', 'Bearer 1', 'yes', 'me', undefined, 'application/json'],
  )
})

test('requests of the database alone send nothing to remote servers', async (t) => {
  const { crm, trellis } = await startWithCrm(t)
  await crm.stop()
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { title } }'), {
    data: { book_by_pk: { title: 'Dawn' } },
  })
})

// Some servers distinguish null from an absent value.
test('nulls are left out of arguments and input objects, and stay in lists and scalars', async (t) => {
  const { crm, trellis } = await startWithCrm(t, {}, { settings: { remoteSchemaSkipNulls: true } })
  const query = `query ($limit: Int, $order: Order = DESC, $where: UserFilter, $value: JSON) {
    users(limit: $limit, order: $order, where: $where) { id }
    other: users(limit: null, where: {name: null, nested: {city: null, name: "x"}, ids: [1]}) { id }
    echo(value: $value, kind: null)
  }`
  const where = { name: null, ids: [1, 2], nested: { name: null, city: 'Oslo' } }
  const value = { a: null, b: [null] }
  const { data } = await trellis.graphql<{ data: object }>(query, { limit: null, order: null, where, value })
  assert.deepEqual(data, { users: [{ id: 1 }, { id: 2 }], other: [{ id: 1 }], echo: value })
  const [asked] = crm.asked()
  assert.deepEqual(asked!.variables, { order: null, where: { ids: [1, 2], nested: { city: 'Oslo' } }, value })
  assert.match(asked!.query, /other: users\(where: \{nested: \{name: "x"\}, ids: \[1\]\}\)/)
  assert.match(asked!.query, /echo\(value: \$value\)/)
})
