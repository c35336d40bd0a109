// A database role that lacks a privilege which event triggers need.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

/** A server whose database role may read and write `orders`, but create no triggers on it. */
async function startUntriggered(t: TestContext, settings: Readonly<Record<string, unknown>> = {}) {
  const database = await testDatabase(t, { sql: 'create table orders (id int primary key)' })
  const role = `untriggered_${randomBytes(6).toString('hex')}`
  await database.sql(`
    create role ${role} login; drop schema trellis cascade; create schema trellis authorization ${role};
    grant select, insert, update, delete on orders to ${role}`)
  atEnd(t, () => database.sql(`drop owned by ${role} cascade; drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  const trellis = await startTrellis(t, { database: { url: url.href, sql: database.sql }, settings })
  await trellis.op('track_table', 'orders')
  return { trellis, database, role }
}

const trigger = { name: 'order', table: 'orders', webhook: 'http://127.0.0.1:1', insert: { columns: '*' } }
const denied = 'permission denied for table orders'
const refused = {
  ...{ path: '$.args', error: `the database refused the operation: ${denied}`, code: 'postgres-error' },
  hint: 'event triggers need TRIGGER on "orders", and CREATE on schema "trellis"',
}

const { table, name, webhook, insert } = trigger
const document = { version: 2, tables: [{ table, event_triggers: [{ name, definition: { insert }, webhook }] }] }

test('an event trigger is refused with the privilege that the database role lacks', async (t) => {
  const { trellis, database, role } = await startUntriggered(t)
  for (const [type, args] of [
    ['create_event_trigger', trigger],
    ['bulk', [{ type: 'create_event_trigger', args: trigger }]],
    ['replace_metadata', document],
  ] as const) {
    const { status, body } = await trellis.opError(type, args)
    const { internal, ...answer } = body as { internal: { error: { status_code: string } } }
    assert.deepEqual({ status, ...answer }, { status: 400, ...refused })
    assert.equal(internal.error.status_code, '42501')
    assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
  }
  await database.sql(`grant trigger on orders to ${role}`)
  await trellis.op('create_event_trigger', trigger)
})

test('with --dialect hasura the answer has the status and message of v1.3', async (t) => {
  const { trellis } = await startUntriggered(t, { dialect: 'hasura' })
  const { status, body } = await trellis.opError('create_event_trigger', trigger)
  const { internal: _, ...answer } = body as Record<string, unknown>
  const expected = { status: 500, path: '$.args', error: 'database query error', code: 'unexpected' }
  assert.deepEqual({ status, ...answer }, expected)
})
