// Taking events out of the log: in batches, by the index on when they were made, so that the cost is that of what leaves.

import type { Database } from '../../../sdk/sql.ts'
import { deleteInBatches, type InTransaction, type Retention, retentionBatch } from '../../delivery/index.ts'
import type { CleanedState, Cleanup } from './cleanup-schema.ts'

/** How much left the log. */
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

/** What a worker is just sending is passed over, and so is what somebody else takes out. */
const events = (of: CleanedState): string => `
  with old as materialized (
    select id from trellis.event_log
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2)
      and ${conditions[of]} and (locked is null or locked <= now())
    order by created_at limit $3 for update skip locked)
  , gone as (delete from trellis.event_log e using old where e.id = old.id returning 1)
  select count(*)::int as count from gone`

/** Attempts whose events are gone or leave; those of events that stay, stay. */
const invocations = (of: CleanedState): string => `
  with old as materialized (
    select l.ctid as place from trellis.event_invocation_logs l
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2)
      and not exists (select from trellis.event_log e where e.id = l.event_id
        and (not ${conditions[of]} or e.created_at >= now() - make_interval(hours => $2)))
    order by created_at limit $3)
  , gone as (delete from trellis.event_invocation_logs l using old where l.ctid = old.place returning 1)
  select count(*)::int as count from gone`

/** Takes out what is old enough of a trigger's events, as long as there is time. */
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

/** The names in a log, each found by the index, however many rows have it. */
const namesIn = (log: string): string => `
  (with recursive name as (
    select min(trigger_name) as trigger_name from trellis.${log}
    union all
    select (select min(trigger_name) from trellis.${log} where trigger_name > name.trigger_name)
    from name where name.trigger_name is not null)
  select trigger_name from name where trigger_name is not null)`

const names = `${namesIn('event_log')} union ${namesIn('event_invocation_logs')}`

/** Takes out what is too old of all triggers, those that are gone included, with its attempts. */
export async function retain(
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
