// One-off events while the database runs a statement, and its answer is lost with the connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryMeasures } from '../../plugins/delivery/measures.ts'
import { deliveryWorker } from '../../plugins/delivery/worker.ts'
import { OneOffLedger } from '../../plugins/scheduled/ledger.ts'
import { atEnd } from '../support/cleanup.ts'
import { everyOther, losing } from '../support/lost-answers.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('events claimed without an answer are claimed again at once, and an attempt counts once', async (t) => {
  const { op, sql, database } = await startTrellis(t, { settings: { eventsFetchBatchSize: 0 } })
  const schedule_at = new Date(Date.now() - 1000).toISOString()
  const retry_conf = { num_retries: 3, retry_interval_seconds: 0.001 }
  for (let n = 0; n < 3; n++) await op('create_scheduled_event', { webhook: 'http://x', schedule_at, retry_conf })
  const [claiming, writing] = ['skip locked', 'invocation_logs'].map((part) =>
    everyOther((text) => text.includes(part)),
  )
  const lossy = await losing(t, database.url, (text) => claiming!(text) || writing!(text))
  const called = new Map<string, number>()
  const call = async (_: unknown, { id }: { readonly id: string }) => {
    const count = (called.get(id) ?? 0) + 1
    called.set(id, count)
    return {
      ...{ id: crypto.randomUUID(), succeeded: count > 3, status: count > 3 ? 200 : 500, retryAfter: null },
      ...{ request: '{}', response: '{}', size: 0, logged: { type: 'client', detail: null } as const },
    }
  }
  const caller = { webhooks: { call } } as unknown as ConstructorParameters<typeof OneOffLedger>[0]['caller']
  const worker = deliveryWorker({
    ledger: new OneOffLedger({ database: lossy, caller, interval: () => 60_000 }, () => undefined),
    ...{ concurrency: 10, batch: 10, report: () => {}, missed: () => {}, settled: () => {} },
    measures: new DeliveryMeasures({ kind: 'x', invocations: 'x', processed: 'x', fetched: 'x', workers: 'x' }),
  })
  const waking = setInterval(() => worker.wake(), 10)
  atEnd(t, () => clearInterval(waking))
  worker.start()
  const log = () =>
    sql(`select status, tries, (select count(*)::int from trellis.hdb_scheduled_event_invocation_logs where event_id = e.id) as attempts
      from trellis.hdb_scheduled_events as e`)
  await eventually(async () => (await log()).every(({ status }) => status === 'delivered'))
  clearInterval(waking)
  await worker.stop(1000)
  const once = { status: 'delivered', tries: 4, attempts: 4 }
  assert.deepEqual(await log(), [once, once, once])
  assert.deepEqual([...called.values()], [4, 4, 4])
})
