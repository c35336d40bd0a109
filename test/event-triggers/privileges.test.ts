// A database role that lacks a privilege which event triggers need.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

test('create_event_trigger names the privilege that the database role lacks', async (t) => {
  const database = await testDatabase(t, { sql: 'create table orders (id int primary key)' })
  const role = `untriggered_${randomBytes(6).toString('hex')}`
  await database.sql(`
    create role ${role} login; drop schema trellis cascade; create schema trellis authorization ${role};
    grant select, insert, update, delete on orders to ${role}`)
  atEnd(t, () => database.sql(`drop owned by ${role} cascade; drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  const trellis = await startTrellis(t, { database: { url: url.href, sql: database.sql } })
  await trellis.op('track_table', 'orders')
  const { status, body } = await trellis.opError('create_event_trigger', {
    ...{ name: 'order', table: 'orders', webhook: 'http://127.0.0.1:1' },
    insert: { columns: '*' },
  })
  const { error, code, hint, path } = body as Record<string, unknown>
  const denied = 'permission denied for table orders'
  assert.deepEqual(
    { status, error, code, path, hint },
    {
      ...{ status: 500, error: 'database query error', code: 'unexpected', path: '$.args' },
      hint: `${denied}: event triggers need TRIGGER on "orders", and CREATE on schema "trellis"`,
    },
  )
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
  await database.sql(`grant trigger on orders to ${role}`)
  await trellis.op('create_event_trigger', {
    ...{ name: 'order', table: 'orders', webhook: 'http://127.0.0.1:1' },
    insert: { columns: '*' },
  })
})
