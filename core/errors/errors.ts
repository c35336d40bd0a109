// The errors that clients see. Code throws where it knows the broken rule; only the two encoders at the end know the
// format of the answer.

import { type PathKey, pathText } from './path.ts'
import { shortMessage } from './shortened.ts'

/** The error codes of the API. An action webhook may add its own codes, hence the open string type at the end. */
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
  | 'connection-timeout-error'
  | 'constraint-error'
  | 'constraint-violation'
  | 'cost-limit-exceeded'
  | 'cyclic-dependency'
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
  | 'postgres-max-connections-error'
  | 'rate-limit-exceeded'
  | 'remote-schema-conflicts'
  | 'remote-schema-error'
  | 'start-failed'
  | 'time-limit-exceeded'
  | 'unexpected'
  | 'unexpected-payload'
  | 'validation-failed'
  | (string & {})

/** Optional members of an error that help to correct the request. */
export interface ErrorHelp {
  /**
   * A short hint: the expected input, or the name that was probably meant. It reveals only names that the caller may
   * see.
   */
  readonly hint?: string
  /** Positions in the text of a GraphQL document, counted from 1. */
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
}

/** The members of an error beside its code and message. */
export interface ErrorDetails {
  /** The path relative to the throwing code; callers add their own level with {@link TrellisError.at}. */
  readonly path?: readonly PathKey[]
  /** Whether the error has no place in the request, like that of a failing commit; callers then add no path. */
  readonly placeless?: boolean
  /** Details that only administrators see, or everyone in development mode. */
  readonly internal?: unknown
  /** The `extensions` of another server's error, in addition to path and code; GraphQL only. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Whether `extensions` replace path, code and internals. */
  readonly hasOwnExtensions?: boolean
  /** Called when the error is encoded, so that it costs nothing otherwise. */
  readonly help?: (() => ErrorHelp) | null
  readonly cause?: unknown
  /** The words of interface 2, where clients compare them and they differ. */
  readonly inInterface2?: LaterWords | undefined
}

/** The message of an error in interface 2, and its code and path if these differ, too. */
export interface LaterWords {
  readonly message: string
  readonly code?: ErrorCode
  /** The number of keys at the end that its path lacks; absent: none. */
  readonly levelsAbove?: number
}

/** An error with a status, a code and a path, for both encodings. */
export class TrellisError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly path: readonly PathKey[]
  readonly placeless: boolean
  readonly internal: unknown
  readonly extensions: Readonly<Record<string, unknown>> | undefined
  readonly hasOwnExtensions: boolean
  readonly help: (() => ErrorHelp) | null
  readonly inInterface2: LaterWords | undefined
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
    this.hasOwnExtensions = details.hasOwnExtensions ?? false
    this.help = details.help ?? null
    this.inInterface2 = details.inInterface2
  }

  /** The help, computed once. */
  get shownHelp(): ErrorHelp {
    this.#shownHelp ??= this.help?.() ?? {}
    return this.#shownHelp
  }

  /** The same error at a path one level further out: `at('args')` turns `$.name` into `$.args.name`. */
  at(...outer: readonly PathKey[]): TrellisError {
    return this.placeless ? this : this.with({ path: [...outer, ...this.path] })
  }

  /** The same error with other details; omitted ones stay. */
  with(details: ErrorDetails): TrellisError {
    return this.#copy(this, details)
  }

  /** The same error, without its help unless that may be shown. */
  helpedIf(showsHelp: boolean): TrellisError {
    return this.help && !showsHelp ? this.with({ help: null }) : this
  }

  /** The same error in other words. */
  saying(message: string): TrellisError {
    return this.#copy({ message }, {})
  }

  /** The same error in the words of interface 2. */
  get later(): TrellisError {
    const { inInterface2: later, path } = this
    if (!later) return this
    return this.#copy(later, { path: path.slice(0, path.length - (later.levelsAbove ?? 0)), inInterface2: undefined })
  }

  /** Everything but status, code and message. */
  get details(): ErrorDetails {
    const { path, placeless, internal, extensions, hasOwnExtensions, help, cause, inInterface2 } = this
    const others = { path, placeless, internal, hasOwnExtensions, help, cause, inInterface2 }
    return { ...others, ...(extensions && { extensions }) }
  }

  #copy({ message, code = this.code }: LaterWords, details: ErrorDetails): TrellisError {
    const copy = new TrellisError(this.status, code, message, { ...this.details, ...details })
    copy.stack = this.stack
    return copy
  }
}

/** 400: the request breaks a rule. */
export const badRequest = (code: ErrorCode, message: string, details?: ErrorDetails) =>
  new TrellisError(400, code, message, details)

/** 401: credentials are missing or wrong. */
export const unauthorized = (message: string) => new TrellisError(401, 'access-denied', message)

/** 404: the endpoint does not exist. */
export const notFound = (message = 'resource does not exist') => new TrellisError(404, 'not-found', message)

/** 409: the request refers to an outdated state. */
export const conflict = (message: string) => new TrellisError(409, 'conflict', message)

/** 500: an error of this server (`unexpected`) or of PostgreSQL (`postgres-error`). */
export const internalError = (message: string, details?: ErrorDetails & { code?: ErrorCode }) =>
  new TrellisError(500, details?.code ?? 'unexpected', message, details)

/** A request whose JSON does not have the expected shape. */
export const parseFailed = (message: string, path: readonly PathKey[] = []) =>
  badRequest('parse-failed', message, { path })

/** A GraphQL document that does not match the role's schema. */
export const validationFailed = (message: string, path: readonly PathKey[] = [], help?: () => ErrorHelp) =>
  badRequest('validation-failed', message, { path, help })

/** Turns a thrown value into a {@link TrellisError}; unknown errors become internal errors without details. */
export function toTrellisError(error: unknown): TrellisError {
  if (error instanceof TrellisError) return error
  return internalError('internal error', { cause: error ?? new Error(`${error} was thrown`) })
}

/** Runs `work`; its errors get `key` as the outermost level of their path. */
export function within<T>(key: PathKey, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof TrellisError ? error.at(key) : error
  }
}

/** `{path, error, code, internal?}` with its help: for metadata, explain, config and 404. */
export function flatError(error: TrellisError, showInternal: boolean) {
  const body = { path: pathText(error.path), error: error.message, code: error.code, ...error.shownHelp }
  return showInternal && error.internal !== undefined ? { ...body, internal: error.internal } : body
}

/** One item of a GraphQL `errors` array. */
export function graphqlError(error: TrellisError, showInternal: boolean) {
  const { hint, locations } = error.shownHelp
  if (error.hasOwnExtensions && error.extensions) return { extensions: error.extensions, message: error.message }
  const own = { path: pathText(error.path), code: error.code, ...(hint !== undefined && { hint }) }
  const extensions = { ...own, ...error.extensions }
  const internal = showInternal && error.internal !== undefined ? { internal: error.internal } : {}
  return { extensions: { ...extensions, ...internal }, message: error.message, ...(locations && { locations }) }
}
