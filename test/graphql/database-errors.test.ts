// Nested inserts that PostgreSQL would always refuse.

import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis } from '../support/trellis.ts'

interface Refusal {
  readonly errors: readonly [{ readonly message: string; readonly extensions: { readonly code: string } }]
}

test('a relationship that would write a generated column is not offered in inserts', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table author (id int primary key);
      create table book (id int primary key, doubled int generated always as (id * 2) stored)`,
  })
  for (const table of ['author', 'book']) await trellis.op('track_table', table)
  const manual_configuration = {
    remote_table: 'book',
    column_mapping: { id: 'doubled' },
    insertion_order: 'after_parent',
  }
  await trellis.op('create_object_relationship', { table: 'author', name: 'twin', using: { manual_configuration } })
  const adding = 'mutation { insert_author_one(object: {id: 2, twin: {data: {id: 1}}}) { id } }'
  const [refused] = (await trellis.graphql<Refusal>(adding)).errors
  assert.deepEqual(
    [refused.extensions.code, refused.message],
    ['validation-failed', `field "twin" not found in type: 'author_insert_input'`],
  )
})
