// How long what is over stays in the ledgers: by its state, whatever trigger it is of. A job of each ledger takes out what is older,
// in batches of a transaction each, so that nobody waits for it and vacuuming keeps up with it.

import type { Transaction } from '../../sdk/sql.ts'
import type { JobCall, Jobs } from '../jobs/index.ts'
import type { DeliverySettings } from './options.ts'

/** What is over: delivered; failed for good, or too late to be sent; or of an event trigger that is gone. */
export type RetainedState = 'delivered' | 'failed' | 'archived'

/** What of a state leaves. */
export interface Retention {
  readonly state: RetainedState
  /** What is older leaves. */
  readonly hours: number
}

const everyMillis = 10 * 60_000

/** How many rows leave in a transaction. */
export const retentionBatch = 5000

/** Runs work in a transaction: one for each batch, or the same for all. */
export type InTransaction = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>

export interface Batches {
  readonly inTransaction: InTransaction
  readonly batchSize: number
  /** `performance.now()` after which what is left is left for the next time; absent: whatever time it takes. */
  readonly end?: number
  readonly signal?: AbortSignal
}

/** Runs a statement that says how many rows it took out, `count`, until it takes out less than a batch; how many in all. */
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

/** Declares the job of a ledger, unless everything stays in it. */
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
  jobs.declare({ name, schedule: { every: everyMillis }, timeout: null, run })
}
