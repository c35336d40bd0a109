// One-off events so large that only few of them fit into memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OneOffLedger } from '../../plugins/scheduled/ledger.ts'
import { startOther } from '../auth/other-server.ts'
import { openDatabase } from '../support/connections.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

/** Events of 20 MB each, to be sent at once. */
const large = (webhook: string, count: number) => `
  alter table trellis.hdb_scheduled_events alter payload set storage external;
  insert into trellis.hdb_scheduled_events (webhook_conf, scheduled_time, retry_conf, header_conf, payload)
  select to_json('${webhook}'::text), now(), '{"num_retries": 0, "tolerance_seconds": 600, "timeout_seconds": 60}', '[]',
    to_json(repeat('x', 20 << 20)) from generate_series(1, ${count})`

test('only as many large events are claimed as fit into memory, and the rest follows at once', async (t) => {
  const trellis = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  await trellis.sql(large('http://localhost', 3))
  const { database } = await openDatabase(t, { url: trellis.database.url })
  const caller = { call: () => assert.fail('nothing is sent') } as unknown as ConstructorParameters<
    typeof OneOffLedger
  >[0]['caller']
  const ledger = new OneOffLedger({ database, caller, interval: () => 60_000 }, () => undefined)
  const claimed = await ledger.claim(100)
  assert.equal(claimed.length, 2)
  for (const { size } of claimed) assert.ok(size! > 20 << 20)
  assert.equal(await ledger.pause(), 1)
  // Events of a killed worker are as large.
  await trellis.sql(`update trellis.hdb_scheduled_events set locked = now() where status = 'locked'`)
  assert.equal((await ledger.claim(100)).length, 2)
  assert.equal((await ledger.claim(100)).length, 1)
  assert.equal((await ledger.claim(100)).length, 0)
})

test('all of them are delivered', async (t) => {
  const hook = await startOther(t, () => ({}))
  const trellis = await startTrellis(t)
  await trellis.sql(`${large(hook.url, 4)}; notify trellis_delivery, 'one-off'`)
  const delivered = `select from trellis.hdb_scheduled_events where status = 'delivered'`
  await eventually(async () => (await trellis.sql(delivered)).length === 4)
  assert.equal(hook.received.length, 4)
})
