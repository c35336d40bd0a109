// A transaction keeps an old snapshot open, so the index entries of finished events cannot be removed. Claims begin after
// them, and still find every event that becomes due before that place.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OneOffLedger } from '../../plugins/scheduled/ledger.ts'
import type { Database } from '../../sdk/sql.ts'
import { startOther } from '../auth/other-server.ts'
import { openDatabase } from '../support/connections.ts'
import { connectTo } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

/** Enough for claims that read all of them to be costly. */
const finished = 60_000

/** Opens a snapshot, and then records and finishes many events of an hour ago. Gives the end of the snapshot. */
async function holdSnapshot(
  t: TestContext,
  { url, sql }: { readonly url: string; readonly sql: (text: string) => Promise<unknown> },
): Promise<() => Promise<unknown>> {
  const holder = await connectTo(t, url)
  await holder.query('begin isolation level repeatable read; select 1')
  await sql(`
    insert into trellis.hdb_scheduled_events (webhook_conf, retry_conf, header_conf, scheduled_time, status, locked)
      select '"http://127.0.0.1:1"', '{}', '[]', now() - interval '1 hour', 'locked', now() - interval '50 minutes'
      from generate_series(1, ${finished});
    update trellis.hdb_scheduled_events set status = 'scheduled', locked = null;
    update trellis.hdb_scheduled_events set status = 'delivered'`)
  return () => holder.query('commit')
}

const oneOff = (webhook: string, seconds: number) => ({
  webhook,
  schedule_at: new Date(Date.now() - seconds * 1000).toISOString(),
})

test('claims begin behind the entries of finished events while a snapshot is held', async (t) => {
  const { op, sql, database: own } = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  const release = await holdSnapshot(t, { url: own.url, sql })
  const { database } = await openDatabase(t, { url: own.url })
  const begins: (string | null)[] = []
  const watched: Pick<Database, 'rows' | 'texts'> = {
    rows: database.rows.bind(database),
    texts: (statement, values, options) => {
      begins.push(values[4] as string | null)
      return database.texts(statement, values, options)
    },
  }
  const caller = { call: () => assert.fail('nothing is delivered'), failed: () => assert.fail('nothing is delivered') }
  const ledger = new OneOffLedger({ database: watched, caller, interval: () => 60_000 } as never, () => undefined)
  const claimOne = async () => {
    await op('create_scheduled_event', oneOff('http://127.0.0.1:1', 1))
    return eventually(async () => (await ledger.claim(10)).length === 1)
  }
  // The first claim prepares the statement. The second one shows the cost of reading from the first due event.
  for (let i = 0; i < 2; i++) await claimOne()
  begins.length = 0
  for (let i = 0; i < 4; i++) await claimOne()
  // After a slow claim on a busy machine a read from the start seems cheap, once.
  const early = begins.filter((since) => since === null || Number(since) >= 60)
  assert.ok(early.length <= 1, `seconds before now at which claims begin: ${begins}`)
  assert.ok((await ledger.pause()) < 30_000, 'overlooked events are found soon')
  await release()
  await sql('vacuum trellis.hdb_scheduled_events')
  await eventually(async () => {
    begins.length = 0
    await ledger.claim(10)
    return begins[0] === null
  })
})

test('events of the past, expired leases and released events are found while a snapshot is held', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, sql, database } = await startTrellis(t)
  await holdSnapshot(t, { url: database.url, sql })
  const received = (count: number) => eventually(() => hook.received.length === count)
  for (let count = 1; count <= 5; count++) {
    await op('create_scheduled_event', oneOff(hook.url, 0))
    await received(count)
  }
  // Two hours are more than those of the finished events.
  await op('create_scheduled_event', oneOff(hook.url, 7200))
  await received(6)
  const [row] = await sql<{ id: string }>(`
    insert into trellis.hdb_scheduled_events (webhook_conf, retry_conf, header_conf, scheduled_time, status, locked, locked_by)
    select webhook_conf, retry_conf, header_conf, now() - interval '1 hour', 'locked', now() - interval '1 minute', 'a killed instance'
    from trellis.hdb_scheduled_events where status = 'delivered' and webhook_conf::text like '%${hook.url}%' limit 1 returning id`)
  await received(7)
  assert.equal(JSON.parse(hook.received[6]!.body).id, row!.id)
})
