// Every error that a client may see. A handler throws where the rule is known; the two encoders at the end are the
// only places that know the wire shapes.

import { type PathKey, pathText } from './path.ts'
import { shortMessage } from './shortened.ts'

/** The wire codes of the interface; an action webhook may add its own, hence the string escape at the end. */
export type ErrorCode =
  | 'access-denied'
  | 'alias-limit-exceeded'
  | 'already-exists'
  | 'already-tracked'
  | 'already-untracked'
  | 'bad-request'
  | 'batch-limit-exceeded'
  | 'busy'
  | 'conflict'
  | 'constraint-error'
  | 'constraint-violation'
  | 'cost-limit-exceeded'
  | 'data-exception'
  | 'dependency-error'
  | 'depth-limit-exceeded'
  | 'invalid-configuration'
  | 'invalid-headers'
  | 'invalid-json'
  | 'invalid-jwt'
  | 'invalid-jwt-key'
  | 'invalid-params'
  | 'jwt-invalid-claims'
  | 'jwt-missing-role-claims'
  | 'node-limit-exceeded'
  | 'not-exists'
  | 'not-found'
  | 'not-supported'
  | 'parse-failed'
  | 'permission-denied'
  | 'permission-error'
  | 'postgres-error'
  | 'rate-limit-exceeded'
  | 'remote-schema-conflicts'
  | 'remote-schema-error'
  | 'start-failed'
  | 'time-limit-exceeded'
  | 'unexpected'
  | 'unexpected-payload'
  | 'validation-failed'
  | (string & {})

/** What stands beside the members that an error always has, for whoever has to mend the request. */
export interface ErrorHelp {
  /** A few words: what was expected, or which name was probably meant. Names nothing that the caller may not see. */
  readonly hint?: string
  /** Places in the text of a GraphQL document, counted from 1. */
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
}

export interface ErrorDetails {
  /** Where, relative to the place that throws: callers add their own level with {@link TrellisError.at}. */
  readonly path?: readonly PathKey[]
  /** Whether no place caused it, as with a commit that fails: whoever passes it on adds none. */
  readonly placeless?: boolean
  /** What only administrators (or development mode) may see. */
  readonly internal?: unknown
  /** What another server says of its error, beside path and code, in GraphQL. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Asked when the error is answered, so that it costs nothing otherwise. */
  readonly help?: (() => ErrorHelp) | null
  readonly cause?: unknown
}

/** An error with a status, a code and a path, ready for either encoding. */
export class TrellisError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly path: readonly PathKey[]
  readonly placeless: boolean
  readonly internal: unknown
  readonly extensions: Readonly<Record<string, unknown>> | undefined
  readonly help: (() => ErrorHelp) | null
  #shownHelp: ErrorHelp | undefined

  constructor(status: number, code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(shortMessage(message), details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'TrellisError'
    this.status = status
    this.code = code
    this.path = details.path ?? []
    this.placeless = details.placeless ?? false
    this.internal = details.internal
    this.extensions = details.extensions
    this.help = details.help ?? null
  }

  /** What the help says, looked for once. */
  get shownHelp(): ErrorHelp {
    this.#shownHelp ??= this.help?.() ?? {}
    return this.#shownHelp
  }

  /** The same error seen from one level further out: `at('args')` turns `$.name` into `$.args.name`. */
  at(...outer: readonly PathKey[]): TrellisError {
    return this.placeless ? this : this.with({ path: [...outer, ...this.path] })
  }

  /** The same error with other details; what is left out stays. */
  with(details: ErrorDetails): TrellisError {
    const { path, placeless, internal, extensions, help, cause } = this
    const merged = { path, placeless, internal, ...(extensions && { extensions }), help, cause, ...details }
    const copy = new TrellisError(this.status, this.code, this.message, merged)
    copy.stack = this.stack
    return copy
  }
}

/** 400: the caller broke a rule. */
export const badRequest = (code: ErrorCode, message: string, details?: ErrorDetails) =>
  new TrellisError(400, code, message, details)

/** 401: credentials are missing or wrong. */
export const unauthorized = (message: string) => new TrellisError(401, 'access-denied', message)

/** 404: no such endpoint. */
export const notFound = (message = 'resource does not exist') => new TrellisError(404, 'not-found', message)

/** 409: the request is about a state that is over. */
export const conflict = (message: string) => new TrellisError(409, 'conflict', message)

/** 500: ours (`unexpected`) or PostgreSQL's (`postgres-error`). */
export const internalError = (message: string, details?: ErrorDetails & { code?: ErrorCode }) =>
  new TrellisError(500, details?.code ?? 'unexpected', message, details)

/** A request whose JSON does not fit the expected shape. */
export const parseFailed = (message: string, path: readonly PathKey[] = []) =>
  badRequest('parse-failed', message, { path })

/** A GraphQL document that does not fit the role's schema. */
export const validationFailed = (message: string, path: readonly PathKey[] = [], help?: () => ErrorHelp) =>
  badRequest('validation-failed', message, { path, help })

/** Turns anything thrown into a {@link TrellisError}; what is unknown becomes an internal error without details. */
export function toTrellisError(error: unknown): TrellisError {
  if (error instanceof TrellisError) return error
  return internalError('internal error', { cause: error ?? new Error(`${error} was thrown`) })
}

/** Runs `work`; an error it throws is located one level further in, at `key`. */
export function within<T>(key: PathKey, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof TrellisError ? error.at(key) : error
  }
}

/** `{path, error, code, internal?}`, and its help: metadata, explain, config, 404. */
export function flatError(error: TrellisError, showInternal: boolean) {
  const body = { path: pathText(error.path), error: error.message, code: error.code, ...error.shownHelp }
  return showInternal && error.internal !== undefined ? { ...body, internal: error.internal } : body
}

/** One member of a GraphQL `errors` array. */
export function graphqlError(error: TrellisError, showInternal: boolean) {
  const { hint, locations } = error.shownHelp
  const own = { path: pathText(error.path), code: error.code, ...(hint !== undefined && { hint }) }
  const extensions = { ...own, ...error.extensions }
  const internal = showInternal && error.internal !== undefined ? { internal: error.internal } : {}
  return { extensions: { ...extensions, ...internal }, message: error.message, ...(locations && { locations }) }
}
