// Requests whose changes are tried and never stay: their transaction is rolled back, and nothing of it is served.

import type { Transaction } from '../database/transaction.ts'
import { badRequest, toTrellisError } from '../errors/errors.ts'
import type { MetadataDocument } from '../metadata/document/document.ts'
import type { Model } from '../metadata/document/model.ts'
import type { MetadataEdit } from '../metadata/serving/edit.ts'
import type { MemberOutcome } from './members.ts'

/** The state that a request has reached, for something that is tried on it. */
export interface Trial {
  readonly metadata: MetadataDocument
  readonly model: Model
  /** It has the settings of the session that tries. */
  readonly transaction: Transaction
  /** Runs a request of the metadata API as that session; refuses one that edits the metadata. */
  run(envelope: unknown): Promise<unknown>
}

/** Ends a transaction with the result of a request that never stays. */
class RolledBack extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('the request is only tried')
    this.result = result
  }
}

/** Whether an error is the result of a request that never stays. */
export const isResult = (error: unknown): boolean => error instanceof RolledBack

/** Ends the transaction of an operation that rolls back; any other operation goes on. */
export function endTrial({ rollsBack = false }: { readonly rollsBack?: boolean }, result: unknown): void {
  if (rollsBack) throw new RolledBack(result)
}

/** The result of a request whose transaction was rolled back. */
export async function triedResult(running: Promise<unknown>): Promise<unknown> {
  try {
    await running
  } catch (error) {
    if (error instanceof RolledBack) return error.result
    throw error
  }
  throw new TypeError('a request that is only tried has ended without a result')
}

/** Runs work in a savepoint that is rolled back in any case. */
export async function inTrial(
  { transaction, edit }: { readonly transaction: Transaction; readonly edit: MetadataEdit | null },
  work: () => Promise<unknown>,
): Promise<MemberOutcome> {
  const restore = edit?.mark()
  await transaction.rows('savepoint trellis_trial')
  const outcome: MemberOutcome = await work().then(
    (result) => ({ result }),
    (error) => ({ error: toTrellisError(error) }),
  )
  // Fails as well if the connection is lost, which is then the error of the request.
  await transaction.rows('rollback to savepoint trellis_trial')
  await transaction.rows('release savepoint trellis_trial')
  restore?.()
  return outcome
}

/** Runs work with a signal that aborts after a number of milliseconds. */
export async function withDeadline<T>(millis: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const error = () => badRequest('time-limit-exceeded', `the request took longer than its limit of ${millis} ms`)
  const timer = setTimeout(() => controller.abort(error().at('args')), millis)
  return work(controller.signal).finally(() => clearTimeout(timer))
}
