// Remote servers with invalid answers.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { WebSocketServer } from 'ws'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { atEnd } from '../support/cleanup.ts'
import { startLibrary } from '../support/library.ts'
import { crmTypes, startCrm } from './crm.ts'

async function start(t: TestContext, definition = {}) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, ...definition } })
  return { crm, trellis }
}

interface Answer {
  readonly data?: unknown
  readonly errors?: { message: string; path?: unknown; extensions: { code: string; path: string; internal?: object } }[]
}

const alone = '{ user(id: 1) { id } }'
const mixed = '{ book_by_pk(id: 1) { title } user(id: 1) { id } }'
const rest = { book_by_pk: { title: 'Dawn' } }

test('an invalid answer is an error at its fields, and the rest is served', async (t) => {
  const { crm, trellis } = await start(t)
  const cases: [answer: { status?: number; body?: unknown }, message: RegExp][] = [
    [{ body: 'oh no' }, /^Remote server response is not valid JSON: /],
    [{ status: 500, body: '<html>' }, /^Remote server response is not valid JSON: /],
    [{ status: 302 }, /^"data" field not found in remote response$/],
    [{ body: '[1]' }, /^Remote server response is not valid JSON: it is not an object$/],
    [{ body: 'null' }, /^Remote server response is not valid JSON: it is not an object$/],
    [{ body: '' }, /^Remote server response is not valid JSON: /],
    [{ body: {} }, /^"data" field not found in remote response$/],
    [{ body: '{"data": {"user": {"id"' }, /^Remote server response is not valid JSON: /],
  ]
  for (const [answer, message] of cases) {
    crm.answer = () => answer
    for (const [query, data] of [
      [alone, { user: null }],
      [mixed, { ...rest, user: null }],
    ] as const) {
      const given = await trellis.graphql<Answer>(query)
      assert.deepEqual(given.data, data)
      const [error] = given.errors ?? []
      assert.match(error!.message, message)
      assert.deepEqual(
        [error!.path, error!.extensions.code, error!.extensions.path],
        [['user'], 'unexpected', '$.selectionSet.user'],
      )
    }
  }
})

test('errors at fields outside the request are not lost', async (t) => {
  const { crm, trellis } = await start(t)
  const errors = [
    { message: 'a', path: ['other', 0] },
    { message: 'b', path: ['user', 'id'] },
    { message: 'c', path: [3] },
  ]
  crm.answer = () => ({ body: { data: { user: null }, errors } })
  const given = await trellis.graphql<Answer>(mixed)
  assert.deepEqual(given.data, { ...rest, user: null })
  assert.deepEqual(
    given.errors?.map(({ message, path }) => [message, path]),
    [
      ['c', undefined],
      ['a', undefined],
      ['b', ['user', 'id']],
    ],
  )
})

test('values whose types differ from the schema', async (t) => {
  const { crm, trellis } = await start(t)
  const query = '{ book_by_pk(id: 1) { title } users { id name notes { id text } } }'
  const cases: [users: unknown, data: unknown, message: string, path: unknown[]][] = [
    [null, null, 'expecting not null value for field "users"', ['users']],
    ['x', null, 'expecting a list for field "users"', ['users']],
    [[7], null, 'expecting an object for field "users"', ['users', 0]],
    [[{ name: 'a' }], null, 'expecting not null value for field "id"', ['users', 0, 'id']],
    [[{ id: { a: 1 }, name: 'a' }], null, 'expecting a value of type "Int" for field "id"', ['users', 0, 'id']],
  ]
  for (const [users, data, message, path] of cases) {
    crm.answer = () => ({ body: { data: { users } } })
    const given = await trellis.graphql<Answer>(query)
    assert.deepEqual(given.data, data)
    assert.deepEqual([given.errors?.[0]?.message, given.errors?.[0]?.path], [message, path])
  }
  crm.answer = () => ({ body: { data: { users: [{ id: 1, name: 'a', notes: [{ id: '1' }, null] }] } } })
  const given = await trellis.graphql<Answer>(query)
  assert.deepEqual(given.data, { ...rest, users: [{ id: 1, name: 'a', notes: [null, null] }] })
  assert.deepEqual(
    given.errors?.map(({ path }) => path),
    [['users', 0, 'notes', 0, 'text']],
  )
})

test('a union value of a foreign type, and errors of any shape', async (t) => {
  const { crm, trellis } = await start(t)
  crm.answer = () => ({ body: { data: { thing: { __type_of_value: 'Ghost', name: 'x' } } } })
  const thing = await trellis.graphql<Answer>('{ thing(id: 1) { ... on User { name } } __typename }')
  assert.deepEqual(
    [thing.data, thing.errors?.[0]?.message],
    [{ thing: null, __typename: 'query_root' }, 'the type of a value of field "thing" is not one of "Thing"'],
  )
  crm.answer = () => ({
    body: {
      data: { user: null },
      errors: [null, 7, { message: 3, path: 'x' }, { message: 'late', path: ['user', 'id'] }],
    },
  })
  const { data, errors } = await trellis.graphql<Answer>(mixed)
  const unnamed = 'the remote server sent an error without a message'
  assert.deepEqual(data, { ...rest, user: null })
  assert.deepEqual(
    errors?.map(({ message }) => message),
    [unnamed, unnamed, unnamed, 'late'],
  )
})

test('ten thousand errors, and an answer a thousand levels deep', async (t) => {
  const { crm, trellis } = await start(t)
  const many = Array.from({ length: 10_000 }, (_, i) => ({ message: `e${i}`, path: ['user'] }))
  crm.answer = () => ({ body: { data: { user: null }, errors: many } })
  assert.equal((await trellis.graphql<Answer>(mixed)).errors?.length, 10_000)
  const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`
  crm.answer = () => ({ body: `{"data":{"echo":${deep}}}` })
  const { text } = await trellis.request('/v1/graphql', { body: { query: '{ echo __typename }' } })
  assert.equal(text, `{"data":{"echo":${deep},"__typename":"query_root"}}`)
})

test('fifty megabytes are passed through, and more than the limit is refused', async (t) => {
  const { crm, trellis } = await start(t)
  const big = (size: number) => `{"data":{"echo":"${'x'.repeat(size)}"}}`
  const body = big(50_000_000)
  crm.answer = () => ({ body })
  const { text } = await trellis.request('/v1/graphql', { body: { query: '{ echo }' } })
  assert.equal(text.length, body.length)
  const tooBig = big(70_000_000)
  crm.answer = () => ({ body: tooBig })
  const { data, errors } = await trellis.graphql<Answer>('{ echo book_by_pk(id: 1) { title } }')
  assert.deepEqual([data, errors?.[0]?.message], [{ echo: null, ...rest }, 'ResponseTooLarge'])
})

/** A server with a custom request handler. */
async function startRaw(t: TestContext, answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('servers that are slow, send byte by byte, disconnect, or redirect', async (t) => {
  const { crm, trellis } = await start(t, { timeout_seconds: 3 })
  crm.answer = () => null
  const began = Date.now()
  const { data, errors } = await trellis.graphql<Answer>(mixed)
  assert.deepEqual([data, errors?.[0]?.message], [{ ...rest, user: null }, 'ResponseTimeout'])
  assert.ok(Date.now() - began < 30_000)
  const drip = await startRaw(t, (response) => {
    response.write('{')
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  })
  const refusal = async (url: string) => {
    const { body } = await trellis.opError('add_remote_schema', {
      name: 'other',
      definition: { url, timeout_seconds: 3 },
    })
    return (body as { error: string }).error
  }
  const unreachable = (url: string) => `HTTP exception occurred while sending the request to ${url}`
  assert.equal(await refusal(drip), unreachable(drip))
  const hangingUp = await startRaw(t, (response) => response.destroy())
  assert.equal(await refusal(hangingUp), unreachable(hangingUp))
  const elsewhere = await startRaw(t, (response) => response.writeHead(307, { location: crm.url }).end())
  assert.equal(await refusal(elsewhere), `introspection query to ${elsewhere} has responded with 307 status code`)
  crm.answer = null
  await crm.stop()
  assert.equal((await trellis.graphql<Answer>(mixed)).errors?.[0]?.message, 'ConnectionFailure')
})

test('only administrators see the address of a server', async (t) => {
  const { crm, trellis } = await start(t)
  await crm.stop()
  const { text } = await trellis.request('/v1/graphql', { body: { query: alone }, role: 'clerk' })
  assert.doesNotMatch(text, /127\.0\.0\.1|internal/)
})

test('five thousand types in cycles, and names that begin with underscores', async (t) => {
  const types = Array.from({ length: 5000 }, (_, i) => {
    return `type T${i} implements Node { id: ID! next: T${(i + 1) % 5000} all(filter: I${i}): [Node!]! } input I${i} { a: Int not: I${i} next: I${(i + 1) % 5000} }`
  })
  const crm = await startCrm(
    t,
    `type Query { __hidden: Int _entities: [T0] node: Node first: T0 query: Query } interface Node { id: ID! } ${types.join(' ')}`,
    {
      first: { __typename: 'T0', id: 1, next: { __typename: 'T1', id: 2 } },
      node: { __typename: 'T7', id: 7 },
    },
  )
  const trellis = await startLibrary(t)
  const began = Date.now()
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  assert.deepEqual(
    await trellis.graphql('{ first { next { id } } node { id ... on T7 { next { id } } } __typename }'),
    {
      data: { first: { next: { id: '2' } }, node: { id: '7', next: null }, __typename: 'query_root' },
    },
  )
  const { data } = await trellis.graphql<{ data: { __schema: { types: unknown[] } } }>(
    '{ __schema { types { name } } }',
  )
  assert.ok(data.__schema.types.length > 10_000)
  assert.match(JSON.stringify(await trellis.graphql('{ __hidden }')), /not found/)
  await trellis.op('create_select_permission', {
    table: 'book',
    role: 'reader',
    permission: { columns: '*', filter: {} },
  })
  assert.ok(Date.now() - began < 60_000, `${Date.now() - began} ms`)
})

test('a changed schema is served in its old form until it is reloaded, and errors show the change', async (t) => {
  const { crm, trellis } = await start(t)
  crm.types = crmTypes.replace('city: String  notes', 'notes')
  const { data, errors } = await trellis.graphql<Answer>('{ user(id: 1) { city } book_by_pk(id: 1) { title } }')
  assert.deepEqual(data, { user: null, ...rest })
  assert.match(errors?.[0]?.message ?? '', /Cannot query field "city"/)
})

/** A server whose handlers of POST and of upgrades the test gives. */
async function startOdd(t: TestContext, subscription: (response: ServerResponse) => void) {
  const introspected = {
    data: introspectionFromSchema(buildSchema('type Query { n: Int } type Subscription { tick: Int }')),
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (body.includes('__schema')) response.end(JSON.stringify(introspected))
    else subscription(response)
  })
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(t, () => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a subscription ends with an error if an event is not JSON, or if it is never acknowledged', async (t) => {
  const garbage = await startOdd(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: next\ndata: {nonsense\n\n')
  })
  const mute = await startOdd(t, (response) => response.writeHead(404).end())
  for (const [url, message] of [
    [garbage, /^Remote server response is not valid JSON: /],
    [mute, /^ResponseTimeout$/],
  ] as const) {
    const trellis = await startLibrary(t)
    await trellis.op('add_remote_schema', { name: 'odd', definition: { url, timeout_seconds: 1 } })
    const received = subscribeWith(graphqlWsClient(t, trellis.url), 'subscription { tick }', {})
    const [failure] = (await received.atLeast(1)) as { error: { message: string; extensions: object }[] }[]
    assert.match(failure!.error[0]!.message, message)
    assert.deepEqual(failure!.error[0]!.extensions, { path: '$.selectionSet.tick', code: 'unexpected' })
  }
})
