import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'

test('subscriptions are measured: clients, operations and messages', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: ['metadata', 'graphql', 'metrics'] } })
  const client = graphqlWsClient(t, trellis.url)
  const all = [1, 2, 2].map((id) =>
    subscribeWith(client, 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }', { id }),
  )
  await Promise.all(all.map((each) => each.atLeast(1)))
  const { text } = await trellis.request('/v1/metrics', { role: 'admin' })
  const value = (name: string) => Number(new RegExp(`^service_${name} (\\S+)$`, 'm').exec(text)?.[1])
  assert.deepEqual(
    ['websockets', 'event_streams', 'subscribers', 'subscription_groups', 'subscription_cohorts'].map(value),
    [1, 0, 3, 1, 2],
  )
  assert.ok(value('subscription_statement_seconds_count') >= 1)
  assert.ok(value('subscription_delivery_seconds_count') >= 1)
  assert.ok(value('websocket_sent_bytes_total') > 100)
})
