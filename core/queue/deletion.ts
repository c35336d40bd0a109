// Deletes old rows in batches. With a transaction for each batch, locks are short and vacuum keeps up.

import type { Transaction } from '../database/transaction.ts'

/** Runs work in a transaction: one per batch, or one for all. */
export type InTransaction = <T>(work: (transaction: Pick<Transaction, 'rows'>) => Promise<T>) => Promise<T>

type DeletedBatch = {
  readonly count: number
  readonly last: string | null
}

/** How a deletion runs, and its end. */
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
