// A plugin's own test, as its author would write it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import notes from './notes.ts'

test('notes are added and asked for', async () => {
  await using trellis = await startTrellis({ plugins: [notes] })
  await trellis.operation('add_note', { name: 'first', text: 'hello' })
  assert.deepEqual(await trellis.graphql('{ notes }'), { data: { notes: ['hello'] } })
  assert.deepEqual((await trellis.request('/notes')).body, ['hello'])
})
