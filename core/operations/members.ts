// Members of a request that succeed or fail by themselves, or only read while others write.

import type { Transaction } from '../database/transaction.ts'
import { isReadOnlyTransaction } from '../database/wire/postgres-errors.ts'
import { TrellisError, toTrellisError } from '../errors/errors.ts'
import type { MetadataEdit } from '../metadata/serving/edit.ts'

/** The outcome of a member: its result, or its error with the path in the arguments. */
export type MemberOutcome =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: TrellisError; readonly result?: undefined }

/** The state that a failing member must leave as it was. */
interface Surroundings {
  readonly transaction: Transaction
  readonly edit: MetadataEdit | null
  readonly afterCommit: unknown[]
}

/** Runs a member; if it fails, undoes its changes of the database and of the metadata. */
export async function inSavepoint(
  { transaction, edit, afterCommit }: Surroundings,
  run: () => Promise<unknown>,
): Promise<MemberOutcome> {
  const restore = edit?.mark()
  const { length } = afterCommit
  await transaction.rows('savepoint trellis_member')
  try {
    const result = await run()
    await transaction.rows('release savepoint trellis_member')
    return { result }
  } catch (error) {
    // Fails as well if the connection is lost, which is then the error of the request.
    await transaction.rows('rollback to savepoint trellis_member')
    await transaction.rows('release savepoint trellis_member')
    restore?.()
    afterCommit.length = length
    return { error: toTrellisError(error) }
  }
}

/** Without its cause, the refusal of a write does not count as the fault of a database that takes no changes. */
const ownFault = (error: unknown): unknown =>
  error instanceof TrellisError && isReadOnlyTransaction(error) ? error.with({ cause: undefined }) : error

/** Runs a member that must not write, in a transaction that may. */
export async function readingOnly<T>(transaction: Transaction, run: () => Promise<T>): Promise<T> {
  await transaction.rows('savepoint trellis_reading')
  await transaction.rows('set transaction read only')
  const result = await run().catch((error: unknown) => Promise.reject(ownFault(error)))
  // The end of the savepoint restores the access mode.
  await transaction.rows('release savepoint trellis_reading')
  return result
}
