// Lists of tables to track and to untrack, with warnings in the words of version 2.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer);
  create table colour (id int primary key)`

const trackFailed = (name: string, message: string) => ({
  type: 'table',
  name: `table ${name} in source default`,
  code: 'track-table-failed',
  message,
})

const missing = trackFailed('nope', 'Inconsistent object: no such table/view exists in source: "nope"')
const again = trackFailed('writer', 'view/table already tracked : "writer"')

const untrackFailed = (name: string, message: string) => ({
  ...trackFailed(name, message),
  code: 'untrack-table-failed',
})

const refused = (code: string, error: string, internal: readonly unknown[]) => ({
  status: 400,
  body: { path: '$.args', error, code, internal },
})

test('tables that a list cannot track are warnings', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const ask = async (type: string, args: object) => {
    const { status, body } = await trellis.request('/v1/metadata', { body: { type, args } })
    return { status, body }
  }
  const track = (tables: readonly string[], more: object = {}) =>
    ask('pg_track_tables', { tables: tables.map((table) => ({ source: 'default', table })), ...more })
  const untrack = (tables: readonly string[], more: object = {}) =>
    ask('pg_untrack_tables', { tables: tables.map((table) => ({ source: 'default', table })), ...more })
  const success = { status: 200, body: { message: 'success' } }
  const partly = (...warnings: readonly unknown[]) => ({ status: 200, body: { message: 'success', warnings } })

  await t.test('tracking', async () => {
    assert.deepEqual(await track(['writer', 'nope']), partly(missing))
    assert.deepEqual(
      await track(['writer', 'nope']),
      refused('invalid-configuration', 'all tables failed to track', [again, missing]),
    )
    assert.deepEqual(
      await track(['book', 'nope'], { allow_warnings: false }),
      refused('metadata-warnings', 'failed due to metadata warnings', [missing]),
    )
    assert.deepEqual(await track(['book', 'colour', 'book', 'colour', 'writer']), {
      status: 400,
      body: {
        path: '$.args.tables',
        error: 'The following tables occur more than once in the request: default.book, default.colour',
        code: 'bad-request',
      },
    })
    assert.deepEqual(await track(['book']), success)
    // Only this server tracks the tables of schemas, and then names them.
    const all = await ask('pg_track_tables', { schemas: ['public'] })
    assert.deepEqual(all.body, { message: 'success', tables: [{ schema: 'public', name: 'colour' }] })
  })

  await t.test('untracking', async () => {
    const using = { foreign_key_constraint_on: 'writer_id' }
    assert.deepEqual(await ask('pg_create_object_relationship', { table: 'book', name: 'writer', using }), success)
    const needed = untrackFailed(
      'writer',
      'cannot drop due to the following dependent objects : relationship book.writer in source "default"',
    )
    const unknown = untrackFailed('nope', 'view/table already untracked : "nope"')
    assert.deepEqual(
      await untrack(['writer', 'nope']),
      refused('invalid-configuration', 'all tables failed to untrack', [unknown, needed]),
    )
    assert.equal(((await untrack(['writer', 'writer'])).body as { code: string }).code, 'bad-request')
    assert.deepEqual(
      await untrack(['colour', 'nope'], { allow_warnings: false }),
      refused('metadata-warnings', 'failed due to metadata warnings', [unknown]),
    )
    assert.deepEqual(await untrack(['colour', 'writer']), partly(needed))
    assert.deepEqual(await untrack(['writer', 'book']), success)
  })
})
