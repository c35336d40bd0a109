// Taking events out of the log: in batches, by the index on when they were made, so that the cost is that of what leaves.

import type { Transaction } from '../../sdk/sql.ts'
import type { Cleanup } from './cleanup-schema.ts'

/** How much left the log. */
export interface Cleaned {
  readonly events: number
  readonly invocations: number
}

/** Runs work in a transaction: one for each batch, or the same for all. */
export type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

const settled = (keepErrors: boolean) => (keepErrors ? 'delivered' : '(delivered or error)')

/** What a worker is just sending is passed over, and so is what somebody else takes out. */
const events = (keepErrors: boolean): string => `
  with old as materialized (
    select id from trellis.event_log
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2)
      and ${settled(keepErrors)} and (locked is null or locked <= now())
    order by created_at limit $3 for update skip locked)
  , gone as (delete from trellis.event_log e using old where e.id = old.id returning 1)
  select count(*)::int as count from gone`

/** Attempts whose events are gone or leave; those of events that stay, stay. */
const invocations = (keepErrors: boolean): string => `
  with old as materialized (
    select l.ctid as place from trellis.event_invocation_logs l
    where trigger_name = $1 and created_at < now() - make_interval(hours => $2)
      and not exists (select from trellis.event_log e where e.id = l.event_id
        and (not ${settled(keepErrors)} or e.created_at >= now() - make_interval(hours => $2)))
    order by created_at limit $3)
  , gone as (delete from trellis.event_invocation_logs l using old where l.ctid = old.place returning 1)
  select count(*)::int as count from gone`

/** Takes out what is old enough of a trigger's events, as long as there is time. */
export async function cleanUp(
  trigger: string,
  { olderThan, batchSize, timeout, withInvocations, keepErrors }: Cleanup,
  { inTransaction, signal }: { readonly inTransaction: InTransaction; readonly signal?: AbortSignal },
): Promise<Cleaned> {
  const end = performance.now() + timeout * 1000
  const drain = async (statement: string): Promise<number> => {
    for (let removed = 0; ; ) {
      const count = await inTransaction((transaction) =>
        deleted(transaction, statement, [trigger, olderThan, batchSize]),
      )
      removed += count
      if (count < batchSize || performance.now() > end || signal?.aborted) return removed
    }
  }
  const logs = withInvocations ? await drain(invocations(keepErrors)) : 0
  return { events: await drain(events(keepErrors)), invocations: logs }
}

async function deleted(transaction: Transaction, statement: string, values: readonly unknown[]): Promise<number> {
  const [row] = await transaction.rows<{ count: number }>(statement, values)
  return row?.count ?? 0
}
