// Scheduled events through a proxy that pools transactions, where no notification arrives.

import assert from 'node:assert/strict'
import { startOther } from '../auth/other-server.ts'
import { testDatabase } from '../support/database.ts'
import { pooledTest, startPgBouncer } from '../support/pgbouncer.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

pooledTest(
  'one-off events behind PgBouncer are looked for as often as is said, though nobody tells of them',
  async (t) => {
    const hook = await startOther(t, () => ({}))
    const direct = await testDatabase(t)
    const database = { ...direct, url: await startPgBouncer(t, direct.url) }
    const settings = { usePreparedStatements: false, eventsFetchInterval: 200 }
    const { op } = await startTrellis(t, { database, settings })
    for (const n of [1, 2, 3]) {
      await op('create_scheduled_event', { webhook: hook.url, schedule_at: new Date().toISOString(), payload: n })
      await eventually(() => hook.received.length === n)
    }
    assert.deepEqual(
      hook.received.map(({ body }) => JSON.parse(body).payload),
      [1, 2, 3],
    )
  },
)
