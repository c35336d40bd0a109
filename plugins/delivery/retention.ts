// How long finished items stay in the ledgers, by state and for all triggers. One job per ledger deletes older ones in batches,
// one transaction each, so that locks are short and vacuum keeps up.

import type { Transaction } from '../../sdk/sql.ts'
import type { JobCall, Jobs } from '../jobs/index.ts'
import type { DeliverySettings } from './options.ts'
import { retentionIntervalMillis } from './tuning.ts'

/** Delivered; failed finally or too late to be sent; or of a removed event trigger. */
export type RetainedState = 'delivered' | 'failed' | 'archived'

/** Which items to delete. */
export interface Retention {
  readonly state: RetainedState
  /** Items older than this are deleted. */
  readonly hours: number
}

/** Runs work in a transaction: one per batch, or one for all. */
export type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

type DeletedBatch = {
  readonly count: number
  readonly last: string | null
}

export interface Batches {
  readonly inTransaction: InTransaction
  readonly batchSize: number
  /** `performance.now()` after which the rest waits for the next run; absent: no time limit. */
  readonly end?: number
  readonly signal?: AbortSignal
}

/**
 * Runs a statement that deletes a batch, until a batch is not full; gives the total. The statement gives its `count`, and `last`: the
 * time of its last row, as text. It takes that of the batch before as its last parameter, and begins there: otherwise it would read
 * the index entries of all deleted rows again, which stay while any transaction keeps an old snapshot open.
 */
export async function deleteInBatches(
  statement: string,
  values: readonly unknown[],
  batches: Batches,
): Promise<number> {
  const { inTransaction, batchSize, end = Number.POSITIVE_INFINITY, signal } = batches
  let since: string | null = null
  for (let removed = 0; ; ) {
    const own: readonly unknown[] = [...values, since]
    const [row] = await inTransaction((transaction) => transaction.rows<DeletedBatch>(statement, own))
    const { count = 0, last = null } = row ?? {}
    removed += count
    since = last
    if (count < batchSize || performance.now() > end || signal?.aborted) return removed
  }
}

export interface RetentionJob {
  readonly name: string
  readonly settings: DeliverySettings
  clean(retention: Retention, signal: AbortSignal): Promise<unknown>
}

/** Declares the job of a ledger, unless everything stays in it forever. */
export function declareRetention(jobs: Jobs, { name, settings, clean }: RetentionJob): void {
  const hours: Readonly<Record<RetainedState, number | null>> = {
    delivered: settings.eventsKeepDelivered,
    failed: settings.eventsKeepFailed,
    archived: settings.eventsKeepArchived,
  }
  const retained = (Object.keys(hours) as RetainedState[]).flatMap((state) => {
    const most = hours[state]
    return most === null ? [] : [{ state, hours: most }]
  })
  if (retained.length === 0) return
  const run = async ({ signal }: JobCall) => {
    for (const retention of retained) await clean(retention, signal)
  }
  jobs.declare({ name, schedule: { every: retentionIntervalMillis }, timeout: null, run })
}
