// Members of stitched schemas: their headers and limits, servers that come and go, and definitions that do not fit.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { buildSchema } from 'graphql'
import { type LocalCall, remoteSchemas } from '../../plugins/remote-schemas/graphql.ts'
import { definePlugin } from '../../sdk/index.ts'
import { blocksOf } from '../guide/blocks.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { hasOpenssl, makeAuthority } from '../support/certificates.ts'
import { testDatabase } from '../support/database.ts'
import { startLibrary } from '../support/library.ts'
import { temporaryDirectory } from '../support/process.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { ordersTypes, peopleTypes, shop, startOrders, startPeople } from './shop.ts'

const adding =
  (trellis: TestTrellis) =>
  (name: string, definition: object): Promise<unknown> =>
    trellis.op('add_remote_schema', { name, definition })

interface Inconsistent {
  readonly reason: string
  readonly definition: { readonly name: string }
}

const inconsistent = async (trellis: TestTrellis): Promise<(readonly [string, string])[]> => {
  const objects = await trellis.op<Inconsistent[]>('get_inconsistent_metadata', {})
  return objects.map(({ definition, reason }) => [definition.name, reason] as const)
}

/** Starts a server that passes requests to another one, with a certificate that nobody knows; returns its URL. */
async function startEncrypted(t: TestContext, other: string): Promise<string> {
  const { cert, key } = makeAuthority(temporaryDirectory(t), 'localhost')
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(other, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((done) => server.listen(0, done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://localhost:${(server.address() as AddressInfo).port}/`
}

test('members keep their headers, their forwarding and their timeouts', async (t) => {
  const [people, orders] = [await startPeople(t), await startOrders(t)]
  const trellis = await startLibrary(t)
  const add = adding(trellis)
  const headers = [{ name: 'x-api-key', value: 'k1' }]
  await add('people', { url: people.url, hidden: true, forward_client_headers: true })
  await add('orders', { url: orders.url, hidden: true, headers, timeout_seconds: 1 })
  await add('shop', { stitch: shop })
  const client = { headers: { 'x-agent': 'Ada', 'x-service-role': 'clerk', 'x-service-user-id': '7' } }
  await trellis.graphql('{ users { name spent } }', {}, client)
  const [first, second] = [people.received.at(-1)!.headers, orders.received.at(-1)!.headers]
  assert.deepEqual([first['x-agent'], first['x-service-role'], first['x-api-key']], ['Ada', 'clerk', undefined])
  assert.deepEqual([second['x-agent'], second['x-service-user-id'], second['x-api-key']], [undefined, '7', 'k1'])
  orders.answer = () => null
  const { data, errors } = await trellis.graphql<{ data: object; errors: { message: string; path: unknown[] }[] }>(
    '{ users(limit: 1) { name spent } }',
  )
  assert.deepEqual(data, { users: [{ name: 'user 1', spent: null }] })
  assert.deepEqual(
    errors.map(({ message, path }) => [message, path]),
    [['ResponseTimeout', ['users', 0, 'spent']]],
  )
  orders.answer = null

  await t.test('a failed request to a member is not sent again', async () => {
    const before = orders.received.length
    orders.answer = () => (orders.received.length === before + 1 ? { status: 503, body: 'busy' } : null)
    const ask = () => trellis.graphql('{ users(limit: 1) { spent } }')
    const message = "Remote server response is not valid JSON: Unexpected token 'b'"
    const error = { message, path: ['users', 0, 'spent'], extensions: { code: 'unexpected' } }
    assert.deepEqual(await ask(), { errors: [error], data: { users: [{ spent: null }] } })
    assert.equal(orders.received.length, before + 1)
    orders.answer = null
    assert.deepEqual(await ask(), { data: { users: [{ spent: 100 }] } })
  })

  await t.test(
    'a member may have a certificate of its own',
    {
      skip: hasOpenssl ? false : 'there is no openssl',
    },
    async (t) => {
      const url = await startEncrypted(t, orders.url)
      const definition = { url, hidden: true, timeout_seconds: 1 }
      const { body } = await trellis.opError('update_remote_schema', { name: 'orders', definition })
      assert.match(JSON.stringify(body), /HTTP exception occurred/)
      const host = { host: 'localhost', suffix: new URL(url).port }
      await trellis.op('add_host_to_tls_allowlist', host)
      await trellis.op('update_remote_schema', { name: 'orders', definition })
      const ask = () => trellis.graphql('{ users(limit: 1) { spent } }')
      assert.deepEqual(await ask(), { data: { users: [{ spent: 100 }] } })
      await trellis.op('drop_host_from_tls_allowlist', host)
      const error = { message: 'ConnectionFailure', path: ['users', 0, 'spent'], extensions: { code: 'unexpected' } }
      const withoutDetails = (answer: { errors: { extensions: object }[] }) => ({
        ...answer,
        errors: answer.errors.map((each) => ({ ...each, extensions: { code: 'unexpected' } })),
      })
      assert.deepEqual(withoutDetails((await ask()) as never), { data: { users: [{ spent: null }] }, errors: [error] })
      await trellis.op('update_remote_schema', {
        name: 'orders',
        definition: { url: orders.url, hidden: true, headers, timeout_seconds: 1 },
      })
    },
  )

  await t.test('the egress policy holds for the requests of each member', async (t) => {
    const forward = { url: people.url.replace('127.0.0.1', 'localhost'), hidden: true }
    await trellis.op('update_remote_schema', { name: 'people', definition: forward })
    const settings = { egress: 'deny-private' as const, egressAllow: ['localhost'] }
    const limited = await startTrellis(t, { database: trellis.database, settings })
    const before = orders.received.length
    const answer = await limited.graphql('{ users(limit: 1) { name spent } }')
    assert.deepEqual(answer, {
      data: { users: [{ name: 'user 1', spent: null }] },
      errors: [{ message: 'ConnectionFailure', path: ['users', 0, 'spent'], extensions: { code: 'unexpected' } }],
    })
    assert.equal(orders.received.length, before)
    const reason = `HTTP exception occurred while sending the request to ${orders.url}`
    assert.deepEqual(await inconsistent(limited), [['orders', reason]])
  })
})

test('a member that is down at the start is left out, and stitched again when it answers', async (t) => {
  const [people, orders] = [await startPeople(t), await startOrders(t)]
  const trellis = await startLibrary(t)
  const add = adding(trellis)
  await add('people', { url: people.url, hidden: true })
  await add('orders', { url: orders.url, hidden: true })
  await add('shop', { stitch: shop })
  orders.answer = () => ({ status: 503, body: 'down' })
  const second = await startTrellis(t)
  const { remote_schemas } = await trellis.op<{ remote_schemas: object[] }>('export_metadata', {})
  const metadata = { version: 2, tables: [], remote_schemas }
  await second.op('replace_metadata', { metadata, allow_inconsistent_metadata: true }, { version: 2 })
  assert.deepEqual(await second.graphql('{ users { name } }'), {
    data: { users: [{ name: 'user 1' }, { name: 'user 2' }] },
  })
  const found = await inconsistent(second)
  const reason = `introspection query to ${orders.url} has responded with 503 status code`
  assert.deepEqual(found, [
    ['orders', reason],
    ['shop', `stitch[1]: "orders" is left out: ${reason}`],
  ])
  orders.answer = null
  await second.op('reload_remote_schema', { name: 'shop' })
  assert.deepEqual(await inconsistent(second), [])
  assert.deepEqual(await second.graphql('{ users(limit: 1) { spent } }'), { data: { users: [{ spent: 100 }] } })

  await t.test('a member that changes is stitched again', async () => {
    people.types = peopleTypes.replace('height: Float', 'height: Float  size: Int')
    await second.op('reload_remote_schema', { name: 'people' })
    assert.deepEqual(await second.graphql('{ users(limit: 1) { size spent } }'), {
      data: { users: [{ size: null, spent: 100 }] },
    })
    people.types = peopleTypes.replace('height: Float', 'spent: String')
    const { body } = await second.opError('reload_remote_schema', { name: 'people' })
    assert.match(
      JSON.stringify(body),
      /the field \\"User.spent\\" is of type String in \\"people\\", and Float in \\"orders\\"/,
    )
  })
})

test('members may be schemas of this process and another Trellis', async (t) => {
  const authors = definePlugin({
    name: 'authors',
    dependencies: ['remote-schemas'],
    register(engine) {
      const schema = buildSchema(`
        type Query { authors: [book!]!  printers: [edition!]! }
        type edition { id: Int  printer: String! }
        type Subscription { published(to: Int!): book! }
        type book { id: Int!  author: String!  by: String! }
        type Mutation { write: book }
      `)
      const book = (id: number, { session }: LocalCall) => ({ id, author: `author ${id}`, by: session.role })
      const rootValue = {
        authors: (_: unknown, call: LocalCall) => [3, 1, 2].map((id) => book(id, call)),
        printers: [1, 3, 9].map((id) => ({ id, printer: `printer ${id}` })),
        async *published({ to }: { to: number }, call: LocalCall) {
          for (let id = 1; id <= to; id++) yield { published: book(id, call) }
        },
        write: (_: unknown, call: LocalCall) => book(1, call),
      }
      engine.use(remoteSchemas).add({ name: 'authors', schema, rootValue })
    },
  })
  const other = await startLibrary(t)
  await other.sql('create view edition as select id, title from book')
  await other.op('track_table', 'edition')
  const permission = { columns: '*', filter: { id: { _lt: 3 } } }
  await other.op('create_select_permission', { table: 'edition', role: 'clerk', permission })
  const trellis = await startTrellis(t, { plugins: [authors], settings: { enableRemoteSchemaPermissions: true } })
  const add = adding(trellis)
  await trellis.op('update_remote_schema', { name: 'authors', definition: { plugin: 'authors', hidden: true } })
  await add('library', { url: `${other.url}/v1/graphql`, hidden: true })
  const merge = {
    book: { key: 'id', field: 'book', argument: 'where.id._in' },
    edition: { key: 'id', field: 'edition', argument: 'where.id._in' },
  }
  const customization = { type_names: { prefix: 'shelf_' } }
  await add('shelf', { stitch: [{ remote_schema: 'authors' }, { remote_schema: 'library', merge }], customization })
  const { data } = await trellis.graphql<{ data: { authors: object[] } }>(
    '{ authors { id author by title publisher { name } } }',
  )
  const book = (id: number, title: string | null, name: string | null) => ({
    ...{ id, author: `author ${id}`, by: 'admin', title, publisher: name === null ? null : { name } },
  })
  assert.deepEqual(data.authors.slice(0, 2), [book(3, 'Fog', 'Bell'), book(1, 'Dawn', 'Ark')])
  const received = subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { published(to: 2) { author title } }')
  assert.deepEqual(await received.atLeast(3), [
    { data: { published: { author: 'author 1', title: 'Dawn' } } },
    { data: { published: { author: 'author 2', title: 'Ebb' } } },
    'complete',
  ])
  const text = '{ book(where: {id: {_eq: 1}}) { title price publisher { name books { id } } } }'
  assert.deepEqual(await trellis.graphql(text), await other.graphql(text))

  await t.test('a merged type has the rows of a table that the role may see', async () => {
    const editions = (titles: (string | null)[]) => ({
      data: { printers: [1, 3, 9].map((id, i) => ({ printer: `printer ${id}`, title: titles[i] })) },
    })
    const ask = (role: string) => trellis.graphql('{ printers { printer title } }', {}, { role })
    assert.deepEqual(await ask('admin'), editions(['Dawn', 'Fog', null]))
    const schema = 'type Query { printers: [edition!]! } type edition { printer: String!  title: String }'
    for (const role of ['clerk', 'stranger']) {
      await trellis.op('add_remote_schema_permissions', { remote_schema: 'shelf', role, definition: { schema } })
    }
    assert.deepEqual(await ask('clerk'), editions(['Dawn', null, null]))
    const { errors, ...answer } = (await ask('stranger')) as { errors: { message: string; path: unknown[] }[] }
    assert.deepEqual(answer, editions([null, null, null]))
    assert.deepEqual(
      errors.map(({ message, path }) => [message, path]),
      [0, 1, 2].map((i) => [`field "edition" not found in type: 'query_root'`, ['printers', i, 'title']]),
    )
  })
})

test('an unexpected error of a member is not shown to clients', async (t) => {
  const broken = definePlugin({
    name: 'broken',
    dependencies: ['remote-schemas'],
    register(engine) {
      const executor = () => {
        throw new TypeError('the password is 1234')
      }
      engine.use(remoteSchemas).add({ name: 'broken', schema: buildSchema('type Query { secret: Int }'), executor })
    },
  })
  const trellis = await startTrellis(t, { plugins: [broken] })
  await trellis.op('update_remote_schema', { name: 'broken', definition: { plugin: 'broken', hidden: true } })
  await trellis.op('add_remote_schema', { name: 'all', definition: { stitch: [{ remote_schema: 'broken' }] } })
  assert.deepEqual(await trellis.graphql('{ secret }'), {
    errors: [{ message: 'internal error', path: ['secret'], extensions: { code: 'unexpected' } }],
    data: { secret: null },
  })
})

test('members may declare their merges by stitching directives in their SDL', async (t) => {
  const peopleSdl = `
    type Query { users(limit: Int = 2): [User!]!  usersByIds(ids: [ID!]!): [User]! @merge(keyField: "id") }
    type User @key(selectionSet: "{ id }") { id: ID!  name: String! }
  `
  const directives =
    'directive @key(selectionSet: String!) on OBJECT  directive @merge(keyField: String, keyArg: String) on FIELD_DEFINITION'
  const visits = definePlugin({
    name: 'visits',
    dependencies: ['remote-schemas'],
    register(engine) {
      const schema = buildSchema(`${directives}
        type Query { last: User!  visitors(ids: [ID!]!): [User]! @merge(keyField: "id") }
        type User @key(selectionSet: "{ id }") { id: ID!  visits: Int }
      `)
      const visitor = (id: string) => ({ id, visits: Number(id) + 5 })
      const rootValue = { last: () => visitor('4'), visitors: ({ ids }: { ids: string[] }) => ids.map(visitor) }
      engine.use(remoteSchemas).add({ name: 'visits', schema, rootValue })
    },
  })
  const people = await startPeople(t)
  const trellis = await startTrellis(t, { plugins: [visits] })
  await trellis.op('update_remote_schema', { name: 'visits', definition: { plugin: 'visits', hidden: true } })
  await trellis.op('add_remote_schema', { name: 'people', definition: { url: people.url, hidden: true } })
  const stitch = (sdl: string) => [{ remote_schema: 'people', sdl }, { remote_schema: 'visits' }]
  await trellis.op('add_remote_schema', { name: 'all', definition: { stitch: stitch(peopleSdl) } })
  assert.deepEqual(await trellis.graphql('{ users { name visits } last { id: name visits } }'), {
    data: {
      users: [
        { name: 'user 1', visits: 6 },
        { name: 'user 2', visits: 7 },
      ],
      last: { id: 'user 4', visits: 9 },
    },
  })
  const refused: [string, string][] = [
    ['type Query {', 'stitch[0].sdl: Syntax Error: Expected Name, found <EOF>.'],
    ['{ users { id } }', 'stitch[0].sdl: Query root type must be provided.'],
    [peopleSdl.replace('name: String!', 'nick: String'), 'stitch[0].sdl: "people" has no field "User.nick"'],
    [
      peopleSdl.replace('name: String!', 'name: Int'),
      'stitch[0].sdl: the field "User.name" of "people" is of type String!, not Int',
    ],
    [peopleSdl.replace('"{ id }"', '"{ id"'), 'stitch[0].sdl: '],
  ]
  for (const [sdl, message] of refused) {
    const { status, body } = await trellis.opError('update_remote_schema', {
      name: 'all',
      definition: { stitch: stitch(sdl) },
    })
    assert.equal(status, 400)
    assert.ok(JSON.stringify(body).includes(JSON.stringify(message).slice(1, -1)), JSON.stringify(body))
  }
  const both = [{ remote_schema: 'people', sdl: peopleSdl, merge: {} }]
  const { body } = await trellis.opError('update_remote_schema', { name: 'all', definition: { stitch: both } })
  assert.deepEqual(body, {
    ...{ path: '$.definition.stitch[0]', code: 'invalid-params' },
    error: "both `merge` and `sdl` can't be present",
  })
})

test('definitions that do not fit are refused with their place, and a document that holds them is served', async (t) => {
  const types = `${ordersTypes.replace('buyer(', 'shelf(id: ID!): Shelf  buyer(')} type Shelf { id: ID!  constructor: ID }`
  const [people, orders] = [await startPeople(t), await startOrders(t, {}, types)]
  const trellis = await startLibrary(t)
  const add = adding(trellis)
  await add('people', { url: people.url, hidden: true })
  await add('orders', { url: orders.url, hidden: true })
  const log = ['log', 'warn', 'error'].map((name) => mock.method(console, name as 'log', () => {}))
  const orderMerges = (merge: object) => [{ remote_schema: 'people' }, { remote_schema: 'orders', merge }]
  const user = { key: 'id', field: 'usersOf', argument: 'ids' }
  const at = (rest: string) => `stitch[1].merge.User${rest}`
  const refused: [string, object[], string][] = [
    ['member', [{ remote_schema: 'nobody' }], 'stitch[0]: remote schema with name "nobody" does not exist'],
    ['twice', [shop[0]!, shop[0]!], 'stitch[1]: "people" is a member already'],
    ['itself', [{ remote_schema: 'itself' }], 'stitch[0]: "itself" is stitched itself, so it cannot be a member'],
    ['type', orderMerges({ Nothing: user }), 'stitch[1].merge.Nothing: "orders" has no type "Nothing"'],
    ['kind', orderMerges({ SeatKey: user }), 'stitch[1].merge.SeatKey: "SeatKey" is no object or interface'],
    ['field', orderMerges({ User: { ...user, field: 'none' } }), at('.field: "orders" has no root field "none"')],
    [
      'wrong',
      orderMerges({ User: { ...user, field: 'orders' } }),
      at('.field: "orders" of "orders" is of type [Order!]!, not User'),
    ],
    [
      'key',
      orderMerges({ User: { ...user, key: 'code' } }),
      at('.key: the type "User" of "orders" has no field "code"'),
    ],
    [
      'list',
      orderMerges({ User: { ...user, key: 'orders' } }),
      at('.key: the field "orders" is of type [Order!]!, which is no scalar or enum'),
    ],
    [
      'typed',
      orderMerges({ User: { ...user, key: 'spent' } }),
      at('.argument: the field "spent" of the key is of type Float, but the argument takes ID!'),
    ],
    [
      'argument',
      orderMerges({ User: { ...user, argument: 'id' } }),
      at('.argument: "usersOf" of "orders" has no argument "id"'),
    ],
    ['path', orderMerges({ User: { ...user, argument: 'ids.x' } }), at('.argument: the type [ID!] has no field "x"')],
    [
      'one',
      orderMerges({ User: { ...user, field: 'buyer', argument: { name: 'id' } } }),
      at('.argument: "name" is not a field of the key'),
    ],
    ['bare', orderMerges({ User: { ...user, key: ['id'] } }), at('.argument: the type ID has no field "id"')],
    [
      'object',
      orderMerges({ User: { ...user, field: 'usersByKeys', argument: 'keys' } }),
      at('.argument: the field "id" of the key is of type ID!, but the argument takes UserKey!'),
    ],
    [
      'constructor',
      orderMerges({ Shelf: { key: ['id', 'constructor'], field: 'shelf', argument: { id: 'id' } } }),
      'stitch[1].merge.Shelf.argument: the field "constructor" of the key has no argument',
    ],
    [
      'neither',
      [{ remote_schema: 'people' }, { remote_schema: 'orders' }],
      'the field "User.name" is in "people", but not in "orders", and neither merges the type',
    ],
  ]
  for (const [name, stitch, message] of refused) {
    const { status, body } = await trellis.opError('add_remote_schema', { name, definition: { stitch } })
    assert.equal(status, 400, name)
    assert.ok(JSON.stringify(body).includes(JSON.stringify(message).slice(1, -1)), `${name}: ${JSON.stringify(body)}`)
  }
  const shapes: [object, string][] = [
    [[], '$.definition.stitch'],
    [
      [{ remote_schema: 'people', merge: { User: { key: [], field: 'a', argument: 'b' } } }],
      '$.definition.stitch[0].merge.User.key',
    ],
    [[{ remote_schema: 'people', merge: { User: { key: 'id', field: 'a' } } }], '$.definition.stitch[0].merge.User'],
    [[{ remote_schema: 'people', url: 'http://a.example' }], '$.definition.stitch[0].url'],
  ]
  for (const [stitch, path] of shapes) {
    const { status, body } = await trellis.opError('add_remote_schema', { name: 'shape', definition: { stitch } })
    assert.deepEqual([status, (body as { path: string }).path], [400, path])
  }
  const members = (await trellis.op<{ remote_schemas: object[] }>('export_metadata', {})).remote_schemas
  const all = refused.map(([name, stitch]) => ({ name, definition: { stitch } }))
  const nested = { name: 'nested', definition: { stitch: [{ remote_schema: 'neither' }] } }
  const document = {
    version: 2,
    tables: [],
    remote_schemas: [...members, ...all, nested, { name: 'zoo', definition: { stitch: shop } }],
  }
  await trellis.op('replace_metadata', { metadata: document, allow_inconsistent_metadata: true }, { version: 2 })
  const listed = new Map(await inconsistent(trellis))
  for (const [name, , message] of refused) assert.equal(listed.get(name), message)
  assert.equal(listed.get('nested'), 'stitch[0]: "neither" is stitched itself, so it cannot be a member')
  assert.equal(listed.size, refused.length + 1)
  const again = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await again.graphql('{ users(limit: 1) { name spent } }'), {
    data: { users: [{ name: 'user 1', spent: 100 }] },
  })
  assert.deepEqual(
    log.map(({ mock }) => mock.callCount()),
    [0, 0, 0],
  )
  mock.restoreAll()
})

test('members that define a name differently conflict, and both are named', async (t) => {
  const people = await startPeople(t)
  const conflicts: [string, string][] = [
    [
      ordersTypes.replace('spent: Float', 'spent: Float  name: Int'),
      'the field "User.name" is of type String! in "people", and Int in "orders"',
    ],
    [
      ordersTypes.replace('orders(first: Int = 2)', 'users: Int  orders(first: Int = 2)'),
      'both "people" and "orders" have the query field "users"',
    ],
    [
      `${ordersTypes} enum Thing { A }`.replace('total: Float!', 'total: Float!  thing: Thing'),
      'the type "Thing" is of the kind Union in "people", and of the kind Enum in "orders"',
    ],
  ]
  const orders = await startOrders(t)
  const trellis = await startLibrary(t)
  const add = adding(trellis)
  await add('people', { url: people.url, hidden: true })
  for (const [types, message] of conflicts) {
    orders.types = types
    await add('orders', { url: orders.url, hidden: true })
    const { body } = await trellis.opError('add_remote_schema', { name: 'shop', definition: { stitch: shop } })
    assert.ok(JSON.stringify(body).includes(JSON.stringify(message).slice(1, -1)), JSON.stringify(body))
    await trellis.op('remove_remote_schema', { name: 'orders' })
  }
})

test('the requests of the documentation have the answers on the page', async (t) => {
  const page = blocksOf(readFileSync(join(import.meta.dirname, '../../docs/stitching.md'), 'utf8'))
  const textOf = (kind: string) => page.filter(({ language }) => language === kind).map(({ lines }) => lines.join('\n'))
  const [[peopleText, ordersText, query], [bulk, answer]] = [textOf('graphql'), textOf('json')]
  const [people, orders] = [await startPeople(t, {}, peopleText), await startOrders(t, {}, ordersText)]
  const trellis = await startLibrary(t)
  const given = bulk!
    .replace('http://people.example.com/graphql', people.url)
    .replace('http://orders.example.com/graphql', orders.url)
  const { type, args } = JSON.parse(given)
  await trellis.op(type, args)
  assert.deepEqual(await trellis.graphql(query!), JSON.parse(answer!))
})

test('the library is loaded with the first stitched schema', async (t) => {
  const database = await testDatabase(t)
  const script = join(import.meta.dirname, 'loading.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, database.url])
  assert.deepEqual(JSON.parse(stdout), { before: [], after: ['@graphql-tools/stitch'] })
})
