// The errors of a request's run: stale versions, places, and help.

import type { Transaction } from '../database/transaction.ts'
import { deniedPrivilege } from '../database/wire/postgres-errors.ts'
import { conflict, type ErrorHelp, TrellisError } from '../errors/errors.ts'
import { isAdmin, type Session } from '../session/session.ts'
import type { Call } from './envelope.ts'
import type { RequestForm } from './request-form.ts'

/** Refuses a request that expects another metadata version. */
export function refuseStale(expected: readonly number[], stored: number): void {
  const stale = expected.find((version) => version !== stored)
  if (stale === undefined) return
  throw conflict(`metadata resource version referenced (${stale}) did not match current version`)
}

/** Runs work of the transaction that surrounds an operation; its errors are located in the request's arguments. */
export async function inArguments<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof TrellisError ? error.at('args') : error
  }
}

/** An error in the words of the request's interface. */
export const inWordsOf = <E>(
  { interface: interfaceName }: Pick<RequestForm, 'interface'>,
  error: E,
): E | TrellisError => (interfaceName === '2' && error instanceof TrellisError ? error.later : error)

/** The error of an operation; adds its help if an object is inconsistent. */
export async function withHelp(
  error: unknown,
  { operation, args }: Call,
  run: { readonly transaction: Transaction; readonly session: Session },
): Promise<unknown> {
  const { transaction, session } = run
  const denied = isAdmin(session) ? deniedPrivilege(error) : null
  if (denied !== null && error instanceof TrellisError && !error.help && error.code === 'unexpected') {
    return error.with({ help: () => ({ hint: denied }) })
  }
  if (!operation.help || !(error instanceof TrellisError)) return error
  const isInconsistent = error.code === 'constraint-violation' || error.code === 'invalid-configuration'
  if (!isInconsistent || error.help) return error
  const help = await operation.help({ transaction }, args).catch((): ErrorHelp => ({}))
  return error.with({ help: () => help })
}
