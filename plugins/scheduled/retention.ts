// Deletes finished scheduled events with their attempts.

import type { Engine } from '../../sdk/index.ts'
import { deleteInBatches } from '../../sdk/services.ts'
import { type Deliveries, declareRetention, type Retention, retentionBatch } from '../delivery/index.ts'
import type { Jobs } from '../jobs/index.ts'

/** Events of removed cron triggers are deleted at once, so none are archived. */
const statuses: Readonly<Record<Retention['state'], readonly string[]>> = {
  delivered: ['delivered'],
  failed: ['error', 'dead'],
  archived: [],
}

/** Uses the index on the due time; a foreign key deletes the attempts. */
const leaving = (table: string): string => `
  with old as materialized (
    select id from trellis.${table}
    where status = any($1) and scheduled_time < now() - make_interval(hours => $2)
      and scheduled_time >= coalesce($4::timestamptz, '-infinity')
      and created_at < now() - make_interval(hours => $2)
    order by scheduled_time limit $3 for update skip locked)
  , gone as (delete from trellis.${table} e using old where e.id = old.id returning e.scheduled_time)
  select count(*)::int as count, max(scheduled_time)::text as last from gone`

/** Declares the retention job, if the options ask for it. */
export function retainScheduled(engine: Engine, jobs: Jobs, { settings }: Pick<Deliveries, 'settings'>): void {
  const { database } = engine
  declareRetention(jobs, {
    ...{ name: 'retention of scheduled events', settings },
    async clean({ state, hours }, signal) {
      const batches = {
        ...{ batchSize: retentionBatch, signal },
        inTransaction: database.transaction.bind(database),
      }
      if (statuses[state].length === 0) return
      for (const table of ['hdb_cron_events', 'hdb_scheduled_events']) {
        await deleteInBatches(leaving(table), [statuses[state], hours, retentionBatch], batches)
      }
    },
  })
}
