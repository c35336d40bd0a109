// Deletes events in batches by the index on their creation time, so that the cost depends on the deleted rows alone.

import type { Engine } from '../../../sdk/index.ts'
import { deleteInBatches, type InTransaction } from '../../../sdk/services.ts'
import type { Database } from '../../../sdk/sql.ts'
import {
  type Deliveries,
  declareRetention,
  jobNameOf,
  keepJobs,
  type Retention,
  retentionBatch,
} from '../../delivery/index.ts'
import type { JobCall, Jobs } from '../../jobs/index.ts'
import { eventTriggersOf } from '../metadata.ts'
import { type CleanedState, type Cleanup, cleanupOf } from './cleanup-schema.ts'

/** The numbers of deleted rows. */
export interface Cleaned {
  readonly events: number
  readonly invocations: number
}

const conditions: Readonly<Record<CleanedState, string>> = {
  settled: '(delivered or error)',
  delivered: 'delivered',
  failed: 'error',
  archived: '(archived and not delivered and not error)',
}

/** A condition: the row was created at a time in a parameter, or later; null: at any time. */
const isSince = (place: number): string => `created_at >= coalesce($${place}::timestamptz, '-infinity')`

/** Skips events in flight and rows that others delete at the same time. */
const events = (of: CleanedState): string => `
  with old as materialized (
    select id from trellis.event_log
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2) and ${isSince(4)}
      and ${conditions[of]} and (locked is null or locked <= now())
    order by created_at limit $3 for update skip locked)
  , gone as (delete from trellis.event_log e using old where e.id = old.id returning e.created_at)
  select count(*)::int as count, max(created_at)::text as last from gone`

/** Attempts whose events are gone or deleted; those of other events stay. */
const invocations = (of: CleanedState): string => `
  with old as materialized (
    select l.ctid as place from trellis.event_invocation_logs l
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2) and ${isSince(4)}
      and not exists (select from trellis.event_log e where e.id = l.event_id
        and (not ${conditions[of]} or e.created_at >= now() - make_interval(hours => $2)))
    order by created_at limit $3)
  , gone as (delete from trellis.event_invocation_logs l using old where l.ctid = old.place returning l.created_at)
  select count(*)::int as count, max(created_at)::text as last from gone`

/** Deletes the old events of a trigger within the time limit. */
export async function cleanUp(
  trigger: string,
  { olderThan, batchSize, timeout, withInvocations, of }: Cleanup,
  parts: { readonly inTransaction: InTransaction; readonly signal?: AbortSignal },
): Promise<Cleaned> {
  const batches = { ...parts, batchSize, end: performance.now() + timeout * 1000 }
  const values = [trigger, olderThan, batchSize]
  const logs = withInvocations ? await deleteInBatches(invocations(of), values, batches) : 0
  return { events: await deleteInBatches(events(of), values, batches), invocations: logs }
}

/** The distinct names in a log: each is found by the index, however many rows have it. */
const namesIn = (log: string): string => `
  (with recursive name as (
    select min(trigger_name) as trigger_name from trellis.${log}
    union all
    select (select min(trigger_name) from trellis.${log} where trigger_name > name.trigger_name)
    from name where name.trigger_name is not null)
  select trigger_name from name where trigger_name is not null)`

const names = `${namesIn('event_log')} union ${namesIn('event_invocation_logs')}`

/** Deletes the old events of all triggers, including removed ones, with their attempts. */
async function retain(
  { state, hours }: Retention,
  { database, signal }: { readonly database: Pick<Database, 'rows' | 'transaction'>; readonly signal: AbortSignal },
): Promise<void> {
  const cleanup = { olderThan: hours, batchSize: retentionBatch, timeout: Number.POSITIVE_INFINITY, of: state }
  for (const { trigger_name: trigger } of await database.rows<{ trigger_name: string }>(names)) {
    if (signal.aborted) return
    const inTransaction: InTransaction = (work) => database.transaction(work)
    await cleanUp(trigger, { ...cleanup, withInvocations: true }, { inTransaction, signal })
  }
}

/** Keeps a clean-up job for each event trigger that configures one, and the job of the retention; one instance runs each. */
export function scheduleCleanups(engine: Engine, jobs: Jobs, { settings }: Pick<Deliveries, 'settings'>): void {
  const { database } = engine
  const name = 'retention of the event log'
  declareRetention(jobs, { name, settings, clean: (retention, signal) => retain(retention, { database, signal }) })
  const inTransaction: InTransaction = (work) => engine.database.transaction(work)
  const run = async (name: string, { signal }: JobCall) => {
    const config = eventTriggersOf(engine.model).get(name)?.entry.cleanup_config
    if (config) await cleanUp(name, cleanupOf(config), { inTransaction, signal })
  }
  keepJobs(engine, jobs, (model) =>
    [...eventTriggersOf(model).values()].flatMap(({ name, entry: { cleanup_config: config } }) => {
      if (!config || config.paused) return []
      const schedule = { cron: config.schedule }
      return [
        { name: jobNameOf('event log of', name), schedule, timeout: null, run: (call: JobCall) => run(name, call) },
      ]
    }),
  )
}
