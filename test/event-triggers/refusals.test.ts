// Invalid event triggers, and odd ones that are valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

const refused = (path: string, error: string, code: string) => ({ status: 400, body: { path, error, code } })

const trigger = (more: object = {}) => ({
  name: 'order',
  definition: { enable_manual: false, insert: { columns: '*' } },
  webhook: 'http://localhost:1',
  ...more,
})

test('documents in which two tables have an event trigger of one name are refused', async (t) => {
  const shop = await startShop(t, { sql: 'create table other (id int)' })
  const tables = [
    { table: 'orders', event_triggers: [trigger()] },
    { table: 'other', event_triggers: [trigger()] },
  ]
  assert.deepEqual(
    await shop.opError('replace_metadata', { version: 2, tables }),
    refused(
      '$.args.tables',
      'multiple declarations exist for the following event triggers : "order"',
      'already-exists',
    ),
  )
  const twice = [{ table: 'orders', event_triggers: [trigger(), trigger()] }]
  assert.deepEqual(
    await shop.opError('replace_metadata', { version: 2, tables: twice }),
    refused(
      '$.args.tables[0].orders',
      'multiple declarations exist for the following event triggers : "order"',
      'already-exists',
    ),
  )
  assert.deepEqual(await shop.sql('select from pg_trigger where not tgisinternal'), [])
})

test('tables of the server and of PostgreSQL cannot have event triggers', async (t) => {
  const shop = await startShop(t)
  const tables = [
    { schema: 'trellis', name: 'event_log' },
    { schema: 'pg_catalog', name: 'pg_class' },
  ]
  for (const table of tables) {
    await shop.op('track_table', table)
    const args = { name: 'log', table, insert: { columns: '*' }, webhook: 'http://localhost:1' }
    const error = `event triggers are not supported on table "${table.schema}.${table.name}"`
    const refusal = await shop.opError('create_event_trigger', args)
    assert.deepEqual(refusal, refused('$.args', error, 'not-supported'))
  }
})

test('a foreign trigger of the same name on the table is replaced', async (t) => {
  const shop = await startShop(t, { settings: { dialect: 'hasura' } })
  await shop.sql(`create schema hdb_views; create function hdb_views.tell() returns trigger language plpgsql as $$
      begin raise 'the catalog of v1.3 is gone'; end $$;
    create trigger "notify_hasura_order_INSERT" after insert on orders for each row execute function hdb_views.tell()`)
  await shop.trigger()
  await shop.sql('insert into orders (id) values (1)')
  assert.equal((await shop.events(1))[0]?.event.op, 'INSERT')
})

test('URLs may name variables of the environment, which have to be set', async (t) => {
  // The environment is that of the start.
  process.env['TEST_HOOK_PATH'] = 'told'
  const shop = await startShop(t)
  await shop.trigger({ webhook: `${shop.hook.url}/{{TEST_HOOK_PATH}}` })
  await shop.sql('insert into orders (id) values (1)')
  await shop.events(1)
  assert.equal(shop.hook.received[0]?.path, '/told')
  const args = { name: 'other', table: 'orders', insert: { columns: '*' }, webhook: 'http://{{NO_SUCH_HOST}}' }
  const { status, body } = await shop.opError('create_event_trigger', args)
  const { internal: _, ...rest } = body as Record<string, unknown>
  assert.deepEqual(
    { status, body: rest },
    refused(
      '$.args',
      'in table "orders": in event trigger "other": Value for environment variables not found: NO_SUCH_HOST',
      'constraint-violation',
    ),
  )
})

test('names and settings have no upper bound', async (t) => {
  const shop = await startShop(t, { answer: () => ({ status: 500 }) })
  const name = 'n'.repeat(300)
  await shop.trigger({
    name,
    retry_conf: { num_retries: 99_999_999_999, interval_sec: 99_999_999_999_999, timeout_sec: 99_999_999_999_999 },
    cleanup_config: { schedule: '0 3 * * *', clear_older_than: 1 },
  })
  await shop.sql('insert into orders (id) values (1)')
  await shop.events(1)
  const waiting = `select from trellis.event_log where tries = 1 and next_retry_at > now() + interval '20 years'`
  await eventually(async () => (await shop.sql(waiting)).length === 1)
  const job = `select from trellis.job where name like 'event log of nnn%'`
  await eventually(async () => (await shop.sql(job)).length === 1)
})
