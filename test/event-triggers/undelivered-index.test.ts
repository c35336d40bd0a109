// The index for events that failed or were archived, in logs that had none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { type Shop, startShop } from './shop.ts'

const index = 'trellis.event_log_undelivered'

/** Whether it can be used; null: it is not there. */
async function isValid({ sql }: Pick<Shop, 'sql'>): Promise<unknown> {
  const [row] = await sql(`select indisvalid from pg_index where indexrelid = to_regclass('${index}')`)
  return row?.['indisvalid'] ?? null
}

test('a log without it gets it in the background, whatever holds that up, and nobody waits', async (t) => {
  const first = await startShop(t)
  assert.equal(await isValid(first), true)
  await first.engine.close()
  const { database } = first

  await first.sql(`drop index ${index}`)
  const old = await connectTo(t, database.url)
  await old.query('begin isolation level repeatable read; select 1')
  const held = await startShop(t, { database })
  const building = `select from pg_stat_progress_create_index
    where index_relid = to_regclass('${index}') and phase like 'waiting for %'`
  await eventually(async () => (await held.sql(building)).length === 1)
  const other = await startShop(t, { database })
  await other.trigger()
  await other.sql('insert into orders (id) values (1)')
  await other.events(1)
  await Promise.all([held.engine.close(), other.engine.close()])
  assert.deepEqual([(await held.sql(building)).length, await isValid(held)], [0, false])

  await old.query('commit')
  const last = await startShop(t, { database })
  await eventually(async () => (await isValid(last)) === true)
})
