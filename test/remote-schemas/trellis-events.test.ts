// Another Trellis as a remote server of subscriptions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphqlSseClient, graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'

const fast = { settings: { liveQueriesRefetchInterval: 50, streamingQueriesRefetchInterval: 50 } } as const

test('live queries and streams of another Trellis are served over both transports', async (t) => {
  const [other, trellis] = [await startLibrary(t, fast), await startLibrary(t)]
  const customization = {
    root_fields_namespace: 'other',
    type_names: { prefix: 'other_' },
  }
  const remote = (subscription_transport: string) => ({
    name: 'other',
    definition: { url: `${other.url}/v1/graphql`, customization, subscription_transport },
  })
  await trellis.op('add_remote_schema', remote('sse'))
  const text = 'subscription ($id: Int!) { other { book_by_pk(id: $id) { __typename title publisher { name } } } }'
  const state = (title: string) => ({
    data: { other: { book_by_pk: { __typename: 'other_book', title, publisher: { name: 'Ark' } } } },
  })
  for (const [way, client, title] of [
    ['sse', graphqlWsClient(t, trellis.url), 'Dusk'],
    ['websocket', graphqlSseClient(t, trellis.url), 'Dawn'],
  ] as const) {
    await trellis.op('update_remote_schema', remote(way))
    const received = subscribeWith(client, text, { id: 1 })
    await received.atLeast(1)
    const change = 'mutation ($t: String!) { update_book(where: {id: {_eq: 1}}, _set: {title: $t}) { affected_rows } }'
    await other.graphql(change, { t: title })
    assert.deepEqual((await received.atLeast(2)).at(-1), state(title))
  }
  const stream = subscribeWith(
    graphqlWsClient(t, trellis.url),
    'subscription { other { book_stream(batch_size: 2, cursor: {initial_value: {id: 0}}) { id } } }',
  )
  assert.deepEqual(await stream.atLeast(2), [
    { data: { other: { book_stream: [{ id: 1 }, { id: 2 }] } } },
    { data: { other: { book_stream: [{ id: 3 }] } } },
  ])
})
