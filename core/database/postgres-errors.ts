// PostgreSQL's errors as the API shows them, by SQLSTATE. The only place that knows the mapping.

import { badRequest, internalError, TrellisError } from '../errors.ts'

interface PostgresError extends Error {
  readonly code?: string
  readonly severity?: string
  readonly detail?: string
  readonly hint?: string
}

const isPostgresError = (error: unknown): error is PostgresError =>
  error instanceof Error && 'severity' in error && typeof (error as PostgresError).code === 'string'

/** No connection could be had, or it broke. */
export const connectionError = (error: unknown): TrellisError =>
  internalError('connection error', { code: 'postgres-error', internal: (error as Error)?.message, cause: error })

/** A transaction could not begin or commit. */
export function transactionError(error: unknown): TrellisError {
  if (isPostgresError(error) && error.code?.startsWith('23')) {
    return translatePostgresError(error, 'COMMIT', []).with({ placeless: true })
  }
  return internalError('postgres tx error', {
    code: 'postgres-error',
    placeless: true,
    internal: (error as Error)?.message,
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

const missingType = /^cache lookup failed for type \d+$/

/**
 * Whether a prepared statement failed because a type of its parameters was dropped, and perhaps made anew: PostgreSQL
 * looks up everything else again by name.
 */
export function isOutdated(error: unknown): boolean {
  const source = originOf(error)
  return isPostgresError(source) && source.code === 'XX000' && missingType.test(source.message)
}

/** Not every state of class 08 does: a statement that asks another server can fail with one and leave this one alone. */
const endsConnection = ({ severity, code = '' }: PostgresError): boolean =>
  severity === 'FATAL' || severity === 'PANIC' || code.startsWith('57P')

/** The error of a data statement, by the table of the interface. */
export function translatePostgresError(error: unknown, statement: string, values: readonly unknown[]): TrellisError {
  if (error instanceof TrellisError) return error
  if (!isPostgresError(error)) return connectionError(error)
  const state = error.code ?? ''
  const message = `${prefixes[state] ?? ''}${error.message}`
  if (state === '23514') return badRequest('permission-error', message, { cause: error })
  if (state.startsWith('23')) return badRequest('constraint-violation', message, { cause: error })
  if (state === '22025') return badRequest('bad-request', message, { cause: error })
  if (state.startsWith('22')) return badRequest('data-exception', message, { cause: error })
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
