// Translates PostgreSQL's errors to the API's, by SQLSTATE. The only code that knows the mapping.

import { badRequest, internalError, TrellisError } from '../../errors/errors.ts'
import { codeOf, messageOf } from '../../errors/thrown.ts'

export interface PostgresError extends Error {
  readonly code?: string
  readonly severity?: string
  readonly routine?: string
  readonly detail?: string
  readonly hint?: string
  /** The error's position in the statement, and the statement inside a function that raised it. */
  readonly position?: string
  readonly internalQuery?: string
}

const isPostgresError = (error: unknown): error is PostgresError =>
  error instanceof Error && 'severity' in error && typeof (error as PostgresError).code === 'string'

/** No connection could be opened, or it broke. */
export const connectionError = (error: unknown): TrellisError =>
  internalError('connection error', { code: 'postgres-error', internal: messageOf(error), cause: error })

/** The connection limit of PostgreSQL, or of this role or database, is reached. */
export const tooManyConnections = '53300'

/** That code, the code of a PostgreSQL that is starting or stopping, and that of a socket with a full backlog. */
const refusals = new Set([tooManyConnections, '57P03', 'EAGAIN'])

/** Whether PostgreSQL runs but gives no connection now. */
export const isRefusal = (error: unknown): boolean => refusals.has(codeOf(error) ?? '')

const fullInInterface2 = {
  code: 'postgres-max-connections-error',
  message: 'max connections reached on postgres',
} as const
const lateInInterface2 = {
  code: 'connection-timeout-error',
  message: 'connection acquisition timeout expired',
} as const

/** 503: no connection was free within the pool timeout. `refusal`: why PostgreSQL gave none; null if it did not refuse. */
export const busyError = (seconds: number, refusal: unknown): TrellisError =>
  new TrellisError(503, 'busy', `the database is busy: no connection was free within ${seconds} s`, {
    ...(refusal !== null && { internal: messageOf(refusal), cause: refusal }),
    inInterface2: codeOf(refusal) === tooManyConnections ? fullInInterface2 : lateInInterface2,
  })

/** 503: the caller's whole share of the connections was in use for the pool timeout. */
export const shareError = (seconds: number): TrellisError =>
  new TrellisError(503, 'busy', `as many of your requests as may be at work at once were at work for ${seconds} s`, {
    inInterface2: lateInInterface2,
  })

export const isBusy = (error: unknown): boolean => error instanceof TrellisError && error.code === 'busy'

/**
 * The commit succeeded, but its wait for the synchronous standby ended early: the changes exist, and would be lost if the
 * standby took over now.
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

/** The details of a failed statement that administrators may see. */
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

/** The message of `trellis.check_violation`, for rows that break the check of a permission. */
const failedCheck = /^(insert|update) check constraint failed$/

const failedInInterface2 = { message: 'check constraint of an insert/update permission has failed' } as const

/** The error of `trellis.check_violation`, for rows that were checked outside of the statement that changed them. */
export function permissionViolation(kind: 'insert' | 'update'): TrellisError {
  const error = new Error(`${kind} check constraint failed`)
  return translatePostgresError(Object.assign(error, { severity: 'ERROR', code: '23514' }), '', [])
}

/** The original of a translated error; any other error itself. */
export const originOf = (error: unknown): unknown => (error instanceof TrellisError ? error.cause : error)

/** The connection could not prepare a statement, or has lost it. It did not run, so it can run elsewhere. */
export class Unprepared extends Error {
  override readonly name = 'Unprepared'
}

const missingType = /^cache lookup failed for type \d+$/

/**
 * Whether a statement was not prepared as the connection expected: it was deallocated, the statement that was to prepare it
 * failed, or the type of a parameter was dropped and perhaps recreated.
 */
export function isUnprepared(error: unknown): boolean {
  if (!isPostgresError(error)) return false
  const { code, routine, message } = error
  if (code === '26000' || code === '42P05') return true
  return routine === 'RevalidateCachedQuery' || (code === 'XX000' && missingType.test(message))
}

/** Codes of class 42 that concern privileges, and values in the syntax of types such as `ltree`. */
const notAboutNames = new Set(['42501', '42601'])

/** Messages about objects dropped while a statement uses them: these errors have no code of their own. */
const missingObject = /^(cache lookup failed for|could not open relation with OID) /

/**
 * Whether a statement names objects that the database lacks, or has in another form; they may have existed when the
 * statement was planned. Not for a user's own SQL.
 */
export function namesMissingObject(error: unknown): boolean {
  const origin = originOf(error)
  if (!isPostgresError(origin) || (error as TrellisError).code === 'postgres-error') return false
  const { code = '', message } = origin
  if (notAboutNames.has(code)) return false
  return code.startsWith('42') || code === '3F000' || (code === 'XX000' && missingObject.test(message))
}

/** Codes besides class 57P with which PostgreSQL ends a connection: timeouts of sessions and transactions. */
const lastWords = new Set(['25P03', '25P04'])

/** PgBouncer's code when it has no server connection to give, or lost one. */
export const lostByProxy = '08P01'

/**
 * Decided by the code, because messages are in the server's language; a proxy's are not. Not all of class 08: such an error
 * may come from another server that a statement used.
 */
const endsConnection = ({ code = '', severity }: PostgresError): boolean =>
  code.startsWith('57P') || lastWords.has(code) || (code === lostByProxy && severity === 'FATAL')

/** Whether an error means that the connection is lost, rather than that a statement failed. */
export function isConnectionLost(error: unknown): boolean {
  const origin = originOf(error)
  if (origin instanceof TrellisError || origin === undefined) return false
  return !isPostgresError(origin) || endsConnection(origin)
}

const lockNotAvailable = '55P03'

/** Whether a statement failed because of lock_timeout or NOWAIT. */
export function isLockDenied(error: unknown): boolean {
  const origin = originOf(error)
  return isPostgresError(origin) && origin.code === lockNotAvailable
}

/** PostgreSQL's message if a statement failed because the role lacks a privilege; else null. */
export function deniedPrivilege(error: unknown): string | null {
  const origin = originOf(error)
  return isPostgresError(origin) && origin.code === '42501' ? origin.message : null
}

/** PostgreSQL refuses the statement itself: its text, its objects, a missing privilege, or the state of an object. */
const refusedStatement = /^(0A|2B|2F|3D|3F|42|44|5500|P0)/

/** 400 `postgres-error`: PostgreSQL refuses an administrator's change; any other error is returned as it is. */
export function refusedByPostgres(error: unknown): unknown {
  if (!(error instanceof TrellisError) || error.status !== 500 || error.code !== 'unexpected') return error
  const { cause, path, placeless, internal, help } = error
  if (!isPostgresError(cause) || !refusedStatement.test(cause.code ?? '')) return error
  const message = `the database refused the operation: ${cause.message}`
  return badRequest('postgres-error', message, { path, placeless, internal, help, cause })
}

const unsupported = '0A000'

/** 400 `not-supported`: Citus cannot run a statement on distributed tables; any other error is returned as it is. */
export function refusedByCitus(error: unknown): unknown {
  const origin = originOf(error)
  if (!(error instanceof TrellisError) || !isPostgresError(origin) || origin.code !== unsupported) return error
  const { path, placeless, internal } = error
  const message = `the database cannot run this on distributed tables: ${origin.message}`
  const wayOut = 'Most requests run if they compare the column that distributes the rows with one value'
  return badRequest('not-supported', `${message}. ${wayOut}`, { path, placeless, internal, cause: origin })
}

const readOnlyTransaction = '25006'

/** Whether the transaction was read-only. */
export function isReadOnlyTransaction(error: unknown): boolean {
  const origin = originOf(error)
  return isPostgresError(origin) && origin.code === readOnlyTransaction
}

/** That error for a transaction that should write; only the server's administrator can change it. */
export const readOnlyError = (error: unknown): TrellisError =>
  internalError('the database takes no changes: it is a standby, or was made read-only', {
    code: 'postgres-error',
    internal: (error as TrellisError).internal,
    cause: originOf(error),
  })

/** Whether the connection must not be used again after this error; `readOnly`: its transaction was meant to be. */
export const spendsConnection = (error: unknown, readOnly = false): boolean =>
  error instanceof Unprepared || (!readOnly && isReadOnlyTransaction(error)) || isConnectionLost(error)

/** The error of a read whose session may only read, if a function wanted to write; any other is returned as it is. */
export function refusedWrite(error: TrellisError): TrellisError {
  if (!isReadOnlyTransaction(error)) return error
  const { internal, path } = error
  const message = 'the session may only read, so no function that it calls can write'
  return badRequest('access-denied', message, { internal, path, cause: originOf(error) })
}

/** Routines that raise the syntax error code without a position: `raise`, and, before PostgreSQL 13, values for generated columns. */
const raisers: ReadonlySet<string | undefined> = new Set(['exec_stmt_raise', 'rewriteTargetListIU'])

/**
 * Whether a value has the wrong syntax for its type, where the type's parser uses the code of statements: `ltree`, `hstore`,
 * `tsvector` and `jsonpath` do. A real syntax error has a position, and the other sources of the code are known.
 */
const isValueSyntax = ({ code, position, internalQuery, routine }: PostgresError): boolean =>
  code === '42601' && position === undefined && internalQuery === undefined && !raisers.has(routine)

/** The API's error for a failed data statement, by the mapping of the interface. */
export function translatePostgresError(error: unknown, statement: string, values: readonly unknown[]): TrellisError {
  if (error instanceof TrellisError) return error
  if (error instanceof Unprepared) return translatePostgresError(error.cause, statement, values)
  if (!isPostgresError(error)) return connectionError(error)
  const state = error.code ?? ''
  const message = `${prefixes[state] ?? ''}${error.message}`
  if (state === '23514') {
    const inInterface2 = failedCheck.test(error.message) ? failedInInterface2 : undefined
    return badRequest('permission-error', message, { cause: error, inInterface2 })
  }
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
