// A request that failed, with all that the server told.

/** The parts of an error's answer. */
export interface FailureFacts {
  /** The HTTP status; 0: there was no answer. */
  readonly status: number
  readonly code: string
  readonly message: string
  /** The place in the request, such as `$.args.table`. */
  readonly path: string | null
  readonly internal: unknown
  readonly hint: string | null
  readonly requestId: string | null
}

/** A request that failed. */
export class RequestFailed extends Error {
  readonly facts: FailureFacts

  constructor(facts: FailureFacts) {
    super(facts.message)
    this.name = 'RequestFailed'
    this.facts = facts
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The failure that an answer tells: flat, as GraphQL's errors, or anything else that a proxy sent. */
export function failureOf(status: number, body: unknown, requestId: string | null): RequestFailed {
  const flat = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const [first] = Array.isArray(flat['errors']) ? (flat['errors'] as Record<string, unknown>[]) : []
  const extensions = (first?.['extensions'] ?? {}) as Record<string, unknown>
  const message =
    text(flat['error']) ??
    text(first?.['message']) ??
    text(flat['message']) ??
    `the server answered with status ${status}`
  return new RequestFailed({
    status,
    message,
    code: text(flat['code']) ?? text(extensions['code']) ?? 'unexpected',
    path: text(flat['path']) ?? text(extensions['path']),
    internal: flat['internal'] ?? extensions['internal'] ?? null,
    hint: text(flat['hint']) ?? text(extensions['hint']),
    requestId,
  })
}

/** Any thrown value as a failure. */
export function asFailure(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error
  const message = error instanceof Error ? error.message : String(error)
  return new RequestFailed({
    status: 0,
    code: 'page',
    message,
    path: null,
    internal: null,
    hint: null,
    requestId: null,
  })
}
