// A key set that another server publishes. It is fetched at startup, and again when the response expires.

import { messageOf } from '../../sdk/index.ts'
import {
  answerExpiry,
  loggableUrl,
  longestTimer,
  type Observer,
  type Outgoing,
  type OutgoingResponse,
  retryAfterOf,
} from '../../sdk/services.ts'
import { ConfigurationError } from './configuration-error.ts'
import { keysOfSet, type VerificationKey } from './keys.ts'
import './log.ts'
import type { KeyType } from './schema.ts'
import { defaultRetryDelay, longestWait, maxSetSize, requestTimeout, shortestDelay } from './tuning.ts'

export interface KeySetOptions {
  readonly url: string
  /** The only accepted type of keys; null: all. */
  readonly type: KeyType | null
  readonly outgoing: Outgoing
  readonly observe: Observer
  /** Milliseconds until the next refresh, if one failed or its response has no lifetime. */
  readonly retryDelay?: number
}

interface FetchedKeys {
  readonly keys: readonly VerificationKey[]
  /** The response body with the keys. */
  readonly text: string
  readonly headers: OutgoingResponse['headers']
}

/** The key server refused the request with a `Retry-After`. */
class RefusedFetch extends ConfigurationError {
  /** The requested delay in milliseconds. */
  readonly wait: number

  constructor(message: string, wait: number) {
    super(message)
    this.wait = wait
  }
}

export class KeySet {
  readonly #options: KeySetOptions
  #fetched: FetchedKeys | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: KeySetOptions) {
    this.#options = options
  }

  /** The keys of the last fetch. */
  get keys(): readonly VerificationKey[] {
    return this.#fetched?.keys ?? none
  }

  /** Fetches the keys; throws a {@link ConfigurationError} if that fails. */
  async start(): Promise<void> {
    this.#fetched = await fetchKeys(this.#options, null)
    const expiresAt = answerExpiry(this.#fetched.headers, Date.now())
    // If the first response has no lifetime, it is never refreshed.
    if (expiresAt !== null) this.#refreshAfter(delayUntil(expiresAt))
  }

  /** Stops refreshing. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #refreshAfter(delay: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => void this.#refresh(), delay)
    this.#timer.unref()
  }

  async #refresh(): Promise<void> {
    const { observe, retryDelay = defaultRetryDelay } = this.#options
    let next = retryDelay
    try {
      const before = this.#fetched
      this.#fetched = await fetchKeys(this.#options, before)
      const level = this.#fetched.keys === before?.keys ? 'debug' : 'info'
      const expiresAt = answerExpiry(this.#fetched.headers, Date.now())
      if (expiresAt !== null) next = delayUntil(expiresAt)
      observe.log({ type: 'jwk-refresh-log', level, detail: { message: 'refreshed the JWKs', error: null } })
    } catch (error) {
      if (error instanceof RefusedFetch) next = Math.max(next, Math.min(error.wait, longestWait))
      const detail = { message: 'could not refresh the JWKs, the old ones stay', error: messageOf(error) }
      if (!this.#stopped) observe.log({ type: 'jwk-refresh-log', level: 'critical', detail })
    }
    this.#refreshAfter(next)
  }
}

const delayUntil = (time: number): number => Math.min(Math.max(time - Date.now(), shortestDelay), longestTimer)

const none: readonly VerificationKey[] = []

/**
 * Fetches the keys. If they did not change, the same array is returned, because verified signatures are cached by it.
 */
async function fetchKeys({ url, type, outgoing }: KeySetOptions, before: FetchedKeys | null): Promise<FetchedKeys> {
  const shown = loggableUrl(url)
  const common = { method: 'GET', url, timeout: requestTimeout, maxResponseSize: maxSetSize } as const
  const request = { ...common, headers: before ? unlessSame(before.headers) : {} }
  const { status, headers, body } = await outgoing.send(request).catch((error: Error) => {
    throw new ConfigurationError(`Error fetching JWK: ${error.message}`)
  })
  if (status === 304 && before) return { ...before, headers: { ...before.headers, age: undefined, ...headers } }
  if (status < 200 || status > 299) {
    const wait = retryAfterOf(headers, Date.now()) ?? 0
    throw new RefusedFetch(`Non-2xx response on fetching JWK from: ${shown}`, wait * 1000)
  }
  const text = body.toString('utf8')
  if (text === before?.text) return { ...before, headers }
  const keys = parseKeys(text, type)
  if (keys === null) throw new ConfigurationError(`Error parsing JWK from url: ${shown}`)
  return { keys, text, headers }
}

/** The headers of a conditional request. */
function unlessSame({ etag, 'last-modified': modified }: OutgoingResponse['headers']): Record<string, string> {
  return {
    ...(typeof etag === 'string' && { 'if-none-match': etag }),
    ...(typeof modified === 'string' && { 'if-modified-since': modified }),
  }
}

/** Null if the body is not a key set or has no usable key, so that the current keys are kept. */
function parseKeys(text: string, type: KeyType | null): VerificationKey[] | null {
  try {
    const keys = keysOfSet(JSON.parse(text), type)
    return keys.length === 0 ? null : keys
  } catch {
    return null
  }
}
