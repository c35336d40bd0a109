// Live queries: what subscribers get when rows, permissions and tables change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { graphqlWsClient, subscribeWith } from './clients.ts'

const book = 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }'
const titled = (title: string) => ({ data: { book_by_pk: { title } } })

test('A subscriber gets the first answer at once, and another one when it changes.', async (t) => {
  const trellis = await startLibrary(t)
  const client = graphqlWsClient(t, trellis.url)
  const received = subscribeWith(client, book, { id: 1 })
  assert.deepEqual(await received.atLeast(1), [titled('Dawn')])
  await trellis.sql(`update book set title = 'Dusk' where id = 1`)
  assert.deepEqual(await received.atLeast(2), [titled('Dawn'), titled('Dusk')])
})
