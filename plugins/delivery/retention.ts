// How long finished items stay in the ledgers, by state and for all triggers. One job per ledger deletes older ones in batches,
// one transaction each, so that locks are short and vacuum keeps up.

import type { Transaction } from '../../sdk/sql.ts'
import type { JobCall, Jobs } from '../jobs/index.ts'
import type { DeliverySettings } from './options.ts'
import { retentionIntervalMillis } from './tuning.ts'

/** Delivered; failed for good or too late to be sent; or of a removed event trigger. */
export type RetainedState = 'delivered' | 'failed' | 'archived'

/** Which items to delete. */
export interface Retention {
  readonly state: RetainedState
  /** Items older than this are deleted. */
  readonly hours: number
}

/** Runs work in a transaction: one per batch, or one for all. */
export type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

export interface Batches {
  readonly inTransaction: InTransaction
  readonly batchSize: number
  /** `performance.now()` after which the rest waits for the next run; absent: no time limit. */
  readonly end?: number
  readonly signal?: AbortSignal
}

/** Runs a statement that deletes a batch and gives its `count`, until a batch is not full. Gives the total. */
export async function deleteInBatches(
  statement: string,
  values: readonly unknown[],
  batches: Batches,
): Promise<number> {
  const { inTransaction, batchSize, end = Number.POSITIVE_INFINITY, signal } = batches
  for (let removed = 0; ; ) {
    const [row] = await inTransaction((transaction) => transaction.rows<{ count: number }>(statement, values))
    const { count = 0 } = row ?? {}
    removed += count
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
