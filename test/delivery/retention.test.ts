// The retention of finished events, in the ledgers of all kinds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startShop } from '../event-triggers/shop.ts'
import { eventually } from '../support/waiting.ts'

/** One event of each state and age, and an attempt for each event that had one. */
const events = `
  insert into trellis.event_log (id, schema_name, table_name, trigger_name, payload, delivered, error, archived, created_at)
    select trigger || ' ' || state || ' ' || age, 'public', 'orders', trigger, '{}', state = 'delivered', state = 'error',
      state = 'archived', now() - make_interval(hours => age)
    from unnest('{order,gone}'::text[]) trigger, unnest('{delivered,error,archived}'::text[]) state, unnest('{1,30,80}'::int[]) age
    where trigger = 'gone' or state <> 'archived';
  insert into trellis.event_invocation_logs (event_id, trigger_name, created_at)
    select id, trigger_name, created_at from trellis.event_log where not archived;
  insert into trellis.hdb_scheduled_events (id, webhook_conf, retry_conf, header_conf, scheduled_time, created_at, status)
    select state || ' ' || age, '""', '{}', '[]', now() - make_interval(hours => age), now() - make_interval(hours => age), state
    from unnest('{delivered,error,dead}'::text[]) state, unnest('{1,30,80}'::int[]) age;
  insert into trellis.hdb_scheduled_event_invocation_logs (event_id) select id from trellis.hdb_scheduled_events;
  insert into trellis.hdb_cron_events (id, trigger_name, scheduled_time, created_at, status)
    select state || ' ' || age, 'tick', now() - make_interval(hours => age, secs => length(state)),
      now() - make_interval(hours => age), state
    from unnest('{delivered,error,dead}'::text[]) state, unnest('{1,30,80}'::int[]) age`

test('finished events are deleted when they are old enough for their state', async (t) => {
  const settings = { eventsKeepDelivered: 24, eventsKeepFailed: 72, eventsKeepArchived: 0 }
  const shop = await startShop(t, { settings })
  await shop.trigger()
  await shop.sql(events)
  await shop.sql(`update trellis.job set wake_at = now() where name like 'retention of %';
    update trellis.agenda_job set next_run_at = now() where name like 'retention of %'`)
  const ids = async (table: string) => {
    const rows = await shop.sql<{ id: string }>(`select id from trellis.${table} order by id collate "C"`)
    return rows.map(({ id }) => id)
  }
  const kept = ['dead 1', 'dead 30', 'delivered 1', 'error 1', 'error 30']
  const keptEvents = ['delivered 1', 'error 1', 'error 30']
  const inLog = ['gone', 'order'].flatMap((trigger) => keptEvents.map((each) => `${trigger} ${each}`))
  await eventually(async () => (await ids('event_log')).length === inLog.length)
  await eventually(async () => (await ids('hdb_cron_events')).length === kept.length)
  await eventually(async () => (await ids('hdb_scheduled_events')).length === kept.length)
  assert.deepEqual(await ids('event_log'), inLog)
  assert.deepEqual(await ids('hdb_cron_events'), kept)
  assert.deepEqual(await ids('hdb_scheduled_events'), kept)
  const attempts = await shop.sql('select event_id from trellis.event_invocation_logs order by event_id collate "C"')
  assert.deepEqual(
    attempts.map(({ event_id }) => event_id),
    inLog,
  )
  const [scheduled] = await shop.sql('select count(*)::int as n from trellis.hdb_scheduled_event_invocation_logs')
  assert.deepEqual(scheduled, { n: kept.length })
})
