// Transactions that PostgreSQL refused because of what others did at the same time: nothing of them is there, and they are
// likely to succeed when they are run again.

import { TrellisError } from '../../errors/errors.ts'
import { codeOf } from '../../errors/thrown.ts'
import { originOf } from '../wire/postgres-errors.ts'

/** A snapshot that is older than what another one has committed meanwhile, and a deadlock that this one was the victim of. */
const conflicts = new Set(['40001', '40P01'])

/** So often a transaction is run at most. */
const attempts = 10

/** Text that somebody has run is refused with 400: whether it is run again is for them to say. */
const isConflict = (error: unknown): boolean =>
  error instanceof TrellisError && error.status === 500 && conflicts.has(codeOf(originOf(error)) ?? '')

/** Runs a transaction, from its beginning again when it was refused for that reason. */
export async function despiteConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
  }
}
