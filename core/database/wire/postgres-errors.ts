// PostgreSQL's errors as the API shows them, by SQLSTATE. The only place that knows the mapping.

import { badRequest, internalError, TrellisError } from '../../errors/errors.ts'
import { codeOf, messageOf } from '../../errors/thrown.ts'

export interface PostgresError extends Error {
  readonly code?: string
  readonly severity?: string
  readonly routine?: string
  readonly detail?: string
  readonly hint?: string
  /** Where in the statement it is, and the statement of a function that it is in. */
  readonly position?: string
  readonly internalQuery?: string
}

const isPostgresError = (error: unknown): error is PostgresError =>
  error instanceof Error && 'severity' in error && typeof (error as PostgresError).code === 'string'

/** No connection could be had, or it broke. */
export const connectionError = (error: unknown): TrellisError =>
  internalError('connection error', { code: 'postgres-error', internal: messageOf(error), cause: error })

/** PostgreSQL has as many connections as it takes, of all or of this role or database. */
export const tooManyConnections = '53300'

/** The codes of that, of a PostgreSQL about to start or stop, and of a socket at which more wait than may. */
const refusals = new Set([tooManyConnections, '57P03', 'EAGAIN'])

/** Whether PostgreSQL is there, and has no connection to give. */
export const isRefusal = (error: unknown): boolean => refusals.has(codeOf(error) ?? '')

/** 503: no connection was free for as long as a request may wait. `refusal`: why PostgreSQL gave none; null when it was not that. */
export const busyError = (seconds: number, refusal: unknown): TrellisError =>
  new TrellisError(503, 'busy', `the database is busy: no connection was free within ${seconds} s`, {
    ...(refusal !== null && { internal: messageOf(refusal), cause: refusal }),
  })

/** 503: the caller had its whole share of the connections at work for as long as a request may wait. */
export const shareError = (seconds: number): TrellisError =>
  new TrellisError(503, 'busy', `as many of your requests as may be at work at once were at work for ${seconds} s`)

export const isBusy = (error: unknown): boolean => error instanceof TrellisError && error.code === 'busy'

/**
 * A commit was done, but the synchronous standby that it has to wait for was not waited for to the end: what was changed
 * is there, and would be lost if the standby took over now.
 */
export const unconfirmedError = (): TrellisError =>
  internalError('the changes were made, but no standby has confirmed them', { code: 'postgres-error', placeless: true })

/** A transaction could not begin or commit. */
export function transactionError(error: unknown): TrellisError {
  if (error instanceof TrellisError) return error
  if (isPostgresError(error) && error.code?.startsWith('23')) {
    return translatePostgresError(error, 'COMMIT', []).with({ placeless: true })
  }
  return internalError('postgres tx error', {
    code: 'postgres-error',
    placeless: true,
    internal: messageOf(error),
    cause: error,
  })
}

/** What administrators may see of a failed statement. */
export function databaseErrorDetails(error: PostgresError, statement: string, values: readonly unknown[]) {
  return {
    statement,
    prepared: values.length > 0,
    error: {
      exec_status: 'FatalError',
      hint: error.hint ?? null,
      message: error.message,
      status_code: error.code ?? null,
      description: error.detail ?? null,
    },
    arguments: values,
  }
}

const prefixes: Readonly<Record<string, string>> = {
  '23001': 'Can not delete or update due to data being referred. ',
  '23502': 'Not-NULL violation. ',
  '23503': 'Foreign key violation. ',
  '23505': 'Uniqueness violation. ',
  '23514': 'Check constraint violation. ',
  '23P01': 'Exclusion violation. ',
}

/** What a translated error was made of; any other error itself. */
export const originOf = (error: unknown): unknown => (error instanceof TrellisError ? error.cause : error)

/**
 * The connection could not prepare a statement, or has lost it. Nothing of it has run, so that it can be run elsewhere.
 */
export class Unprepared extends Error {
  override readonly name = 'Unprepared'
}

const missingType = /^cache lookup failed for type \d+$/

/**
 * Whether a statement failed because it is not prepared as the connection believed: it was deallocated, the one before it
 * that was to prepare it failed, or a type of its parameters was dropped, and perhaps made anew.
 */
export function isUnprepared(error: unknown): boolean {
  if (!isPostgresError(error)) return false
  const { code, routine, message } = error
  if (code === '26000' || code === '42P05') return true
  return routine === 'RevalidateCachedQuery' || (code === 'XX000' && missingType.test(message))
}

/** Of their class, what is about rights, and about values as `ltree` reads them. */
const notAboutNames = new Set(['42501', '42601'])

/** Objects that are dropped while a statement looks at them have no code of their own. */
const missingObject = /^(cache lookup failed for|could not open relation with OID) /

/**
 * Whether a statement names what the database does not have, or not in this form: it may have had it when the statement was made.
 * Not of a text that somebody else has made.
 */
export function namesWhatIsNot(error: unknown): boolean {
  const origin = originOf(error)
  if (!isPostgresError(origin) || (error as TrellisError).code === 'postgres-error') return false
  const { code = '', message } = origin
  if (notAboutNames.has(code)) return false
  return code.startsWith('42') || code === '3F000' || (code === 'XX000' && missingObject.test(message))
}

/** What PostgreSQL says when it ends a connection, besides the class 57P: time limits on sessions and transactions. */
const lastWords = new Set(['25P03', '25P04'])

/** What a proxy that pools connections (PgBouncer) says when it has none to give, or lost the one of PostgreSQL's. */
export const lostByProxy = '08P01'

/**
 * By the code, since words are in the server's language; a proxy's are not. Not every state of class 08 does: it may be another
 * server's, which a statement asked.
 */
const endsConnection = ({ code = '', severity }: PostgresError): boolean =>
  code.startsWith('57P') || lastWords.has(code) || (code === lostByProxy && severity === 'FATAL')

/** Whether an error means that the connection is gone, rather than that a statement failed. */
export function isConnectionLost(error: unknown): boolean {
  const origin = originOf(error)
  if (origin instanceof TrellisError || origin === undefined) return false
  return !isPostgresError(origin) || endsConnection(origin)
}

const lockNotAvailable = '55P03'

/** Whether a statement failed because others kept a lock for longer than it was to wait. */
export function isLockDenied(error: unknown): boolean {
  const origin = originOf(error)
  return isPostgresError(origin) && origin.code === lockNotAvailable
}

const readOnlyTransaction = '25006'

/** Whether a transaction takes no changes. */
export function isReadOnlyTransaction(error: unknown): boolean {
  const origin = originOf(error)
  return isPostgresError(origin) && origin.code === readOnlyTransaction
}

/** The same error of a transaction that was to write: whether the server will is for its administrator to say. */
export const readOnlyError = (error: unknown): TrellisError =>
  internalError('the database takes no changes: it is a standby, or was made read-only', {
    code: 'postgres-error',
    internal: (error as TrellisError).internal,
    cause: originOf(error),
  })

/** What raises the code of wrong syntax without a place in the statement: `raise`, and, before PostgreSQL 13, values for generated columns. */
const raisers: ReadonlySet<string | undefined> = new Set(['exec_stmt_raise', 'rewriteTargetListIU'])

/**
 * Whether a value is none of its type, where the type's own reading has a code of statements for that: `ltree`, `hstore`, `tsvector` and
 * `jsonpath` do. A statement is wrong at a place in it, and what else raises the code is known.
 */
const isValueSyntax = ({ code, position, internalQuery, routine }: PostgresError): boolean =>
  code === '42601' && position === undefined && internalQuery === undefined && !raisers.has(routine)

/** The error of a data statement, by the table of the interface. */
export function translatePostgresError(error: unknown, statement: string, values: readonly unknown[]): TrellisError {
  if (error instanceof TrellisError) return error
  if (error instanceof Unprepared) return translatePostgresError(error.cause, statement, values)
  if (!isPostgresError(error)) return connectionError(error)
  const state = error.code ?? ''
  const message = `${prefixes[state] ?? ''}${error.message}`
  if (state === '23514') return badRequest('permission-error', message, { cause: error })
  if (state.startsWith('23')) return badRequest('constraint-violation', message, { cause: error })
  if (state === '22025') return badRequest('bad-request', message, { cause: error })
  if (state.startsWith('22') || isValueSyntax(error)) return badRequest('data-exception', message, { cause: error })
  // The statement is nested too deeply.
  if (state === '54001') return badRequest('bad-request', message, { cause: error })
  if (state === '42704') return badRequest('constraint-error', message, { cause: error })
  if (state === '42P10') {
    const text = 'there is no unique or exclusion constraint on target column(s)'
    return badRequest('constraint-error', text, { cause: error })
  }
  if (endsConnection(error)) return connectionError(error)
  const internal = databaseErrorDetails(error, statement, values)
  return internalError('database query error', { internal, cause: error })
}
