// A tick of the real clock, which takes up to a minute.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOther } from '../auth/other-server.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('a tick is delivered when it is due, by one of three instances', { timeout: 120_000 }, async (t) => {
  const hook = await startOther(t, () => ({}))
  const first = await startTrellis(t)
  await Promise.all([1, 2].map(() => startTrellis(t, { database: first.database })))
  const schedule = '* * * * *'
  await first.op('create_cron_trigger', { name: 'tick', webhook: hook.url, schedule, include_in_metadata: true })
  while (hook.received.length === 0) await sleep(50)
  const times = () => hook.received.map(({ body }) => JSON.parse(body).scheduled_time as string)
  const late = Date.now() - Date.parse(times()[0]!)
  assert.ok(late >= 0 && late < 30_000, `${late} ms after its time`)
  await sleep(2000)
  // The next one may be due by now.
  assert.equal(new Set(times()).size, hook.received.length)
  await eventually(async () => {
    const [log] = await first.sql('select count(*)::int as n from trellis.hdb_cron_event_invocation_logs')
    return log?.['n'] === hook.received.length
  })
  const jobs = await first.sql<{ name: string }>(
    `select name from trellis.job where name like '%cron trigger%' order by 1`,
  )
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['cron trigger tick', 'occurrences of cron triggers'],
  )
  await first.op('delete_cron_trigger', { name: 'tick' })
  for (let left = 2; left > 0; ) {
    await sleep(50)
    const rows = await first.sql(`select from trellis.job where name like '%cron trigger%'`)
    left = rows.length
  }
})
