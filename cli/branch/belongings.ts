// Work that belongs to the original: the copy must not do it a second time.

import type pg from 'pg'

/** Statements by the table that they need. Metadata, cron triggers, jobs and the logs stay. */
const statements: Readonly<Record<string, string>> = {
  'trellis.event_log':
    'update trellis.event_log set archived = true where not delivered and not error and not archived',
  'trellis.hdb_cron_events': `update trellis.hdb_cron_events set status = 'dead' where status in ('scheduled', 'locked') and scheduled_time <= now()`,
  'trellis.hdb_scheduled_events': `update trellis.hdb_scheduled_events set status = 'dead' where status in ('scheduled', 'locked')`,
  'trellis.hdb_action_log': `delete from trellis.hdb_action_log where status in ('created', 'processing')`,
  // Tells its jobs apart in a MongoDB that both use.
  'trellis.job_catalog': `update trellis.job_catalog set id = substr(md5(random()::text || clock_timestamp()::text), 1, 12)`,
  'trellis.project_lock': 'delete from trellis.project_lock',
}

/** Leaves the original's undelivered events and calls to the original. */
export async function leaveToOriginal(client: pg.Client): Promise<void> {
  for (const [table, statement] of Object.entries(statements)) {
    const { rows } = await client.query('select to_regclass($1) is not null as found', [table])
    if (rows[0].found === true) await client.query(statement)
  }
}
