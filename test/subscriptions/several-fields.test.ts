// Subscriptions with several root fields, which v1.3 allows with a directive.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { graphqlWsClient, openApollo, subscribeWith } from './clients.ts'

const hasura = { settings: { dialect: 'hasura' } } as const

const several = `subscription ($id: Int!) @_multiple_top_level_fields {
  first: book_by_pk(id: $id) { title publisher { name } }
  publisher_aggregate { aggregate { count } }
  gone: book_by_pk(id: 99) { title }
}`

const answer = (title: string, count: number) => ({
  data: {
    first: { title, publisher: { name: 'Ark' } },
    publisher_aggregate: { aggregate: { count } },
    gone: null,
  },
})

test('with the dialect hasura, a subscription may have several root fields', async (t) => {
  const { url, sql } = await startLibrary(t, hasura)
  const received = subscribeWith(graphqlWsClient(t, url), several, { id: 1 })
  assert.deepEqual(await received.atLeast(1), [answer('Dawn', 3)])
  await sql(`update book set title = 'Dusk' where id = 1`)
  await received.atLeast(2)
  await sql(`insert into publisher (name) values ('Dot')`)
  await received.atLeast(3)
  assert.deepEqual(received.items, [answer('Dawn', 3), answer('Dusk', 3), answer('Dusk', 4)])
})

test('several root fields need the directive, and must not be streams or introspection', async (t) => {
  const { url } = await startLibrary(t, hasura)
  const socket = await openApollo(t, url)
  const stream = 'book_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id }'
  const refusals = [
    [
      'subscription { book { id } publisher { id } }',
      '$',
      'validation-failed',
      'subscriptions must select one top level field',
    ],
    [
      'subscription @_multiple_top_level_fields { book @skip(if: true) { id } }',
      ...['$', 'validation-failed', 'subscriptions must select one top level field'],
    ],
    [
      `subscription @_multiple_top_level_fields { book { id } ${stream} }`,
      ...['$.selectionSet.book_stream', 'not-supported', '"book_stream" must be the only field of its subscription'],
    ],
    [
      'subscription @_multiple_top_level_fields { book { id } __typename }',
      ...['$', 'not-supported', 'Introspection not supported over subscriptions'],
    ],
    [
      'query @_multiple_top_level_fields { book { id } }',
      ...['$', 'validation-failed', 'Directive "@_multiple_top_level_fields" may not be used on QUERY.'],
    ],
  ]
  for (const [query, path, code, message] of refusals) {
    socket.send({ type: 'start', id: '1', payload: { query } })
    const payload = { errors: [{ extensions: { path, code }, message }] }
    assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload }, query)
    assert.deepEqual(await socket.next(), { type: 'complete', id: '1' })
  }
  const alone = `subscription @_multiple_top_level_fields { ${stream} }`
  socket.send({ type: 'start', id: '2', payload: { query: alone } })
  assert.deepEqual(await socket.next(), { type: 'data', id: '2', payload: { data: { book_stream: [{ id: 1 }] } } })
})

test('by default a subscription has one root field, as the GraphQL specification requires', async (t) => {
  const { url } = await startLibrary(t)
  const socket = await openApollo(t, url)
  socket.send({ type: 'start', id: '1', payload: { query: several, variables: { id: 1 } } })
  const message = 'directive "_multiple_top_level_fields" is not defined in the schema'
  const payload = { errors: [{ extensions: { path: '$', code: 'validation-failed' }, message }] }
  assert.deepEqual(await socket.next(), { type: 'error', id: '1', payload })
})
