// Scheduled events while MongoDB, which may only wake jobs, is away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { startMongo } from '../support/mongo.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('without MongoDB what is due is delivered once each, and changes of tables too', async (t) => {
  const mongo = await startMongo(t)
  const hook = await startOther(t, () => ({}))
  const settings = { mongodbUrl: mongo.url }
  const { op, sql, graphql, database } = await startTrellis(t, {
    settings,
    sql: 'create table town (id int primary key)',
  })
  await op('track_table', 'town')
  await op('create_event_trigger', { name: 'told', table: 'town', webhook: hook.url, insert: { columns: '*' } })
  const schedule = '0 0 1 1 *'
  await op('create_cron_trigger', { name: 'tick', webhook: hook.url, schedule, include_in_metadata: true })
  /** Has ticks that were planned come due, as the time would. */
  const tick = (count: number) =>
    sql(`update trellis.hdb_cron_events set scheduled_time = now() - make_interval(secs => place)
      from (select id, row_number() over (order by scheduled_time desc) as place from trellis.hdb_cron_events
        where status = 'scheduled' order by scheduled_time desc limit ${count}) as last
      where last.id = hdb_cron_events.id; notify trellis_delivery, 'cron'`)
  const sent = () => hook.received.map(({ body }) => JSON.parse(body) as { id: string })
  await mongo.kill()
  await tick(2)
  const answer = await graphql('mutation { insert_town(objects: [{id: 1}]) { affected_rows } }')
  assert.deepEqual(answer, { data: { insert_town: { affected_rows: 1 } } })
  await op('create_scheduled_event', { webhook: hook.url, schedule_at: new Date().toISOString() })
  await eventually(() => sent().length === 4)
  // A server starts without it, and takes its part.
  await startTrellis(t, { settings, database })
  await tick(1)
  await eventually(() => sent().length === 5)
  await mongo.start()
  await tick(1)
  await eventually(() => sent().length === 6)
  const done = `select count(*)::int as n from trellis.hdb_cron_events where status = 'delivered'`
  await eventually(async () => (await sql<{ n: number }>(done))[0]?.n === 4)
  assert.equal(new Set(sent().map(({ id }) => id)).size, 6)
})
