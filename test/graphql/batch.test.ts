import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Session } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'

const admin: Session = { role: 'admin', variables: { 'x-service-role': 'admin' }, backendOnly: false }

interface Subscriber {
  readonly variables: Readonly<Record<string, unknown>>
  readonly session?: Session
}

/** The answers of subscribers from one statement, and those of the same queries one by one. */
async function answers({ engine }: TestTrellis, text: string, subscribers: readonly Subscriber[]) {
  const { graphql } = engine
  const planned = subscribers.map(({ variables, session = admin }) => {
    return { session, ...graphql.plan({ query: `subscription ${text}`, operationName: null, variables }, session) }
  })
  assert.equal(new Set(planned.map(({ prepared }) => prepared)).size, 1, 'they share a plan')
  const members = planned.map(({ session, ...request }) => {
    return { id: randomUUID(), values: graphql.batchValues(request, session) }
  })
  const given = await graphql.answerBatch(planned[0]!.prepared, members)
  const together = members.map(({ id }) => String(given.get(id)))
  const alone: string[] = []
  for (const { variables, session = admin } of subscribers) {
    const request = { query: `query ${text}`, operationName: null, variables }
    alone.push(String(await graphql.execute(request, session, { headers: {} })))
  }
  return { together, alone }
}

test('one statement answers many subscribers, each like its query', async (t) => {
  const trellis = await startLibrary(t)
  const text = `($ids: [Int!]!, $title: String!, $info: jsonb, $offset: Int) {
    book(where: {id: {_in: $ids}, _or: [{title: {_neq: $title}}, {publisher: {info: {_contains: $info}}}]}, order_by: {id: asc}, offset: $offset) {
      title price publisher { name books_aggregate(where: {title: {_neq: $title}}) { aggregate { count } } }
    }
  }`
  const subscribers = Array.from({ length: 20 }, (_, i) => ({
    variables: {
      ids: [i % 4, (i + 1) % 4],
      title: ['Dawn', `it's "$1"`, '\\', '{}'][i % 4],
      info: { founded: 1900 + (i % 3) },
      offset: i % 2,
    },
  }))
  const { together, alone } = await answers(trellis, text, subscribers)
  assert.deepEqual(together, alone)
  assert.ok(new Set(together).size > 2, together.join('\n'))
})

test('subscribers that see no row get the same answer as a query without rows', async (t) => {
  const trellis = await startLibrary(t)
  const subscribers = [1, 99, 2].map((id) => ({ variables: { id } }))
  const { together, alone } = await answers(trellis, '($id: Int!) { book_by_pk(id: $id) { title } }', subscribers)
  assert.deepEqual(together, alone)
  assert.equal(together[1], '{"data":{"book_by_pk":null}}')
})

test('session variables are values of a subscriber, and missing ones are refused', async (t) => {
  const trellis = await startLibrary(t)
  const permission = { columns: ['title'], filter: { publisher_id: { _eq: 'X-Service-Org' } } }
  await trellis.op('create_select_permission', { table: 'book', role: 'editor', permission })
  const editor = (org?: string): Session => ({
    role: 'editor',
    variables: { 'x-service-role': 'editor', ...(org !== undefined && { 'x-service-org': org }) },
    backendOnly: false,
  })
  const text = '{ book(order_by: {title: asc}) { title } }'
  const subscribers = ['1', '2', '3'].map((org) => ({ variables: {}, session: editor(org) }))
  const { together, alone } = await answers(trellis, text, subscribers)
  assert.deepEqual(together, alone)
  assert.deepEqual(together[0], '{"data":{"book":[{"title":"Dawn"},{"title":"Ebb"}]}}')
  const { graphql } = trellis.engine
  const planned = graphql.plan({ query: `subscription ${text}`, operationName: null, variables: {} }, editor())
  assert.throws(() => graphql.batchValues(planned, editor()), {
    status: 400,
    code: 'not-found',
    path: [],
    message: 'missing session variables: "x-service-org"',
  })
})

test('wrong values of one subscriber are refused before it takes part', async (t) => {
  const trellis = await startLibrary(t)
  const { graphql } = trellis.engine
  const query = 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }'
  const planned = graphql.plan({ query, operationName: null, variables: { id: 'x' } }, admin)
  assert.throws(() => graphql.batchValues(planned, admin), {
    status: 400,
    code: 'validation-failed',
    path: ['selectionSet', 'book_by_pk', 'args', 'id'],
    message: 'expected a 32-bit integer for type "Int", but found a string',
  })
})

test('a valid subscription is refused over HTTP', async (t) => {
  const trellis = await startLibrary(t)
  const refusal = async (query: string) => {
    const { status, body } = await trellis.request<{ errors: { message: string; extensions: { code: string } }[] }>(
      '/v1/graphql',
      {
        body: { query },
      },
    )
    return [status, body.errors[0]?.extensions.code, body.errors[0]?.message]
  }
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await refusal('subscription { book { title } }'), [
      200,
      'unexpected-payload',
      'subscriptions are not supported over HTTP, use websockets instead',
    ])
  }
  assert.deepEqual(await refusal('subscription { book { titel } }'), [
    200,
    'validation-failed',
    `field "titel" not found in type: 'book'`,
  ])
})
