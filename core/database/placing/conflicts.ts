// Transactions that PostgreSQL rolled back because of concurrent ones: none of their changes remain, and a retry is likely
// to succeed.

import { TrellisError } from '../../errors/errors.ts'
import { codeOf } from '../../errors/thrown.ts'
import { conflictAttempts } from '../tuning.ts'
import { originOf } from '../wire/postgres-errors.ts'

/** The snapshot is older than a concurrent commit; this transaction was the victim of a deadlock. */
const conflicts = new Set(['40001', '40P01'])

/** A user's own SQL is refused with 400; the user decides whether it runs again. */
const isConflict = (error: unknown): boolean =>
  error instanceof TrellisError && error.status === 500 && conflicts.has(codeOf(originOf(error)) ?? '')

/** Runs a transaction, and retries it from the beginning after such a conflict. */
export async function despiteConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === conflictAttempts || !isConflict(error)) throw error
    }
  }
}
