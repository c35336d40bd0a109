// The protocol graphql-ws, message by message.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { openApollo, openSocket, startGuarded } from './clients.ts'

const first = { book: [{ title: 'Dawn' }] }
const query = '{ book(where: {id: {_eq: 1}}) { title } }'

test('a query, a mutation and a subscription run over one socket', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  assert.equal(socket.socket.protocol, 'graphql-ws')
  socket.send({ type: 'start', id: '1', payload: { query } })
  assert.deepEqual(await socket.next(), { type: 'data', id: '1', payload: { data: first } })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  socket.send({ type: 'start', id: '2', payload: { query: `subscription ${query}` } })
  assert.deepEqual(await socket.next(), { type: 'data', id: '2', payload: { data: first } })
  const mutation = 'mutation ($t: String!) { update_book(where: {id: {_eq: 1}}, _set: {title: $t}) { affected_rows } }'
  socket.send({ type: 'start', id: '3', payload: { query: mutation, variables: { t: 'Dusk' } } })
  const after = [await socket.next(), await socket.next(), await socket.next()]
  // The live query may see the change before the mutation is answered.
  const of = (id: string) => after.filter((message) => message.id === id)
  assert.deepEqual(of('2'), [{ type: 'data', id: '2', payload: { data: { book: [{ title: 'Dusk' }] } } }])
  const data = { update_book: { affected_rows: 1 } }
  assert.deepEqual(of('3'), [
    { type: 'data', id: '3', payload: { data } },
    { type: 'complete', id: '3' },
  ])
  socket.send({ type: 'stop', id: '2' })
  socket.send({ type: 'stop', id: 'nobody' })
  socket.send({ type: 'connection_terminate' })
  assert.deepEqual(await socket.closed, { code: 1000, reason: 'GQL_CONNECTION_TERMINATE received' })
})

test('a keep-alive message is sent from the start on', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openSocket(t, trellis.url)
  await socket.messages.atLeast(1)
  socket.send({ type: 'connection_init' })
  assert.deepEqual((await socket.messages.atLeast(3)).slice(0, 3), [
    ...[{ type: 'ka' }, { type: 'connection_ack' }, { type: 'ka' }],
  ])
  await socket.messages.atLeast(4)
  assert.deepEqual(socket.messages.items[3], { type: 'ka' })
})

const refusedStarts = {
  'a document that is no GraphQL': {
    query: '{',
    error: { path: '$.query', code: 'validation-failed', message: 'not a valid graphql query' },
  },
  'an unknown field': {
    query: 'subscription { book { nothing } }',
    error: {
      path: '$.selectionSet.book.selectionSet.nothing',
      code: 'validation-failed',
      message: `field "nothing" not found in type: 'book'`,
    },
  },
  'two root fields': {
    query: 'subscription { book { id } publisher { id } }',
    error: { path: '$', code: 'validation-failed', message: 'subscriptions must select one top level field' },
  },
  introspection: {
    query: 'subscription { __schema { queryType { name } } }',
    error: { path: '$', code: 'not-supported', message: 'Introspection not supported over subscriptions' },
  },
  'a value that is none of its type': {
    query: 'subscription { book(where: {released_on: {_eq: "soon"}}) { id } }',
    error: { path: '$', code: 'data-exception', message: 'invalid input syntax for type date: "soon"' },
  },
}

test('a refused operation gets an error message and a complete message', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  for (const [id, { query, error }] of Object.entries(refusedStarts)) {
    socket.send({ type: 'start', id, payload: { query } })
    const { type, payload } = (await socket.next()) as { type: string; payload: { errors: Record<string, unknown>[] } }
    const { extensions, message } = payload.errors[0]!
    const { path, code } = extensions as Record<string, unknown>
    assert.deepEqual({ id, type, error: { path, code, message } }, { id, type: 'error', error })
    assert.deepEqual(await socket.next(), { type: 'complete', id })
  }
})

test('an error during execution comes with null data', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  const mutation = 'mutation { insert_publisher(objects: [{name: "Ark"}]) { affected_rows } }'
  socket.send({ type: 'start', id: '1', payload: { query: mutation } })
  const { type, payload } = (await socket.next()) as {
    type: string
    payload: { data: null; errors: { message: string }[] }
  }
  assert.deepEqual([type, payload.data], ['data', null])
  assert.match(payload.errors[0]!.message, /^Uniqueness violation/)
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
})

test('errors are flat on /v1alpha1/graphql', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url, { path: '/v1alpha1/graphql' })
  socket.send({ type: 'start', id: '1', payload: { query: '{ nothing }' } })
  const error = `field "nothing" not found in type: 'query_root'`
  const payload = { path: '$.selectionSet.nothing', error, code: 'validation-failed' }
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
})

const startFailed = (message: string) => ({ extensions: { path: '$', code: 'start-failed' }, message })

test('an operation starts only after connection_ack, and its id is unique on the socket', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openSocket(t, trellis.url)
  const start = { type: 'start', id: '1', payload: { query: `subscription ${query}` } }
  socket.send(start)
  const early = startFailed('start received before the connection is initialised')
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload: early })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  socket.send({ type: 'connection_init' })
  assert.deepEqual(await socket.next(), { type: 'connection_ack' })
  socket.send(start)
  assert.equal((await socket.next()).type, 'data')
  socket.send(start)
  const taken = startFailed('an operation already exists with this id: 1')
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload: taken })
})

test('on /v1alpha1/graphql a start that breaks the protocol gets the bare error', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openSocket(t, trellis.url, { path: '/v1alpha1/graphql' })
  const start = { type: 'start', id: '1', payload: { query: `subscription ${query}` } }
  socket.send(start)
  const early = { path: '$', error: 'start received before the connection is initialised', code: 'start-failed' }
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload: early })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  socket.send({ type: 'connection_init' })
  assert.deepEqual(await socket.next(), { type: 'connection_ack' })
  socket.send(start)
  assert.equal((await socket.next()).type, 'data')
  socket.send(start)
  const taken = { path: '$', error: 'an operation already exists with this id: 1', code: 'start-failed' }
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload: taken })
})

const unreadable = [
  '{',
  '[]',
  '7',
  '{"type":"hello"}',
  '{}',
  '{"type":"start"}',
  '{"type":"start","id":"1"}',
  '{"type":"connection_init","payload":7}',
  '{"type":"connection_init","payload":{"headers":[]}}',
  '{"type":"connection_init","payload":{"headers":{"x-service-role":7}}}',
]

test('an invalid message is refused, and the socket stays open', async (t) => {
  const trellis = await startLibrary(t)
  const socket = await openApollo(t, trellis.url)
  for (const text of unreadable) {
    socket.send(text)
    const { type, payload } = await socket.next()
    assert.equal(type, 'connection_error', text)
    assert.match(String(payload), /^parsing ClientMessage failed: /)
  }
  socket.send({ type: 'start', id: '1', payload: { query } })
  assert.equal((await socket.next()).type, 'data')
})

test('headers in the payload identify the client, and a refused client stays refused', async (t) => {
  const trellis = await startGuarded(t)
  const admin = { 'x-service-admin-secret': 'secret' }
  const socket = await openApollo(t, trellis.url, { payload: { headers: admin } })
  socket.send({ type: 'start', id: '1', payload: { query } })
  assert.equal((await socket.next()).type, 'data')
  const refused = await openSocket(t, trellis.url)
  const message = 'x-service-admin-secret/x-service-access-key required, but not found'
  refused.send({ type: 'connection_init', payload: {} })
  assert.deepEqual(await refused.next(), { type: 'connection_error', payload: message })
  refused.send({ type: 'start', id: '1', payload: { query } })
  const failed = startFailed(`cannot start as connection_init failed with : ${message}`)
  assert.deepEqual(await refused.next(), { type: 'error', id: '1', payload: failed })
  assert.deepEqual(await refused.next(), { type: 'complete', id: '1' })
  refused.send({ type: 'connection_init', payload: { headers: admin } })
  assert.deepEqual(await refused.next(), { type: 'connection_error', payload: message })
})

test('the payload takes precedence over the upgrade request, and a second connection_init changes the role', async (t) => {
  const trellis = await startGuarded(t)
  const filter = (title: string) => ({ columns: ['title'], filter: { title: { _eq: title } } })
  for (const [role, title] of [
    ['one', 'Dawn'],
    ['two', 'Ebb'],
  ] as const) {
    const args = { table: 'book', role, permission: filter(title) }
    await trellis.op('create_select_permission', args, { headers: { 'x-service-admin-secret': 'secret' } })
  }
  const headers = { 'x-service-admin-secret': 'secret', 'x-service-role': 'one' }
  const socket = await openApollo(t, trellis.url, { headers, payload: { headers: { 'X-Service-Role': 'two' } } })
  const titles = async (id: string) => {
    socket.send({ type: 'start', id, payload: { query: '{ book { title } }' } })
    const { payload } = await socket.next()
    await socket.next()
    return payload
  }
  assert.deepEqual(await titles('1'), { data: { book: [{ title: 'Ebb' }] } })
  socket.send({ type: 'connection_init', payload: { headers } })
  assert.deepEqual(await socket.next(), { type: 'connection_ack' })
  assert.deepEqual(await titles('2'), { data: { book: [{ title: 'Dawn' }] } })
})

test('a client that a second connection_init refuses starts nothing more, but its running operations go on', async (t) => {
  const trellis = await startGuarded(t)
  const headers = { 'x-service-admin-secret': 'secret' }
  const socket = await openApollo(t, trellis.url, { payload: { headers } })
  socket.send({ type: 'start', id: '1', payload: { query: `subscription ${query}` } })
  assert.equal((await socket.next()).id, '1')
  const message = 'invalid x-service-admin-secret/x-service-access-key'
  socket.send({ type: 'connection_init', payload: { headers: { 'x-service-admin-secret': 'wrong' } } })
  assert.deepEqual(await socket.next(), { type: 'connection_error', payload: message })
  socket.send({ type: 'start', id: '2', payload: { query } })
  const failed = startFailed(`cannot start as connection_init failed with : ${message}`)
  assert.deepEqual(await socket.next(), { type: 'error', id: '2', payload: failed })
  assert.deepEqual(await socket.next(), { type: 'complete', id: '2' })
  socket.send({ type: 'connection_init', payload: { headers } })
  assert.deepEqual(await socket.next(), { type: 'connection_error', payload: message })
  await trellis.op('update', { table: 'book', where: { id: 1 }, $set: { title: 'Fen' } }, { headers })
  assert.deepEqual((await socket.next()).id, '1')
})
