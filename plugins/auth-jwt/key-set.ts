// A key set that another server publishes: fetched at start, then again whenever its answer says that it grows old.

import { messageOf } from '../../sdk/index.ts'
import {
  freshnessOf,
  loggableUrl,
  longestTimer,
  type Observer,
  type Outgoing,
  type OutgoingResponse,
} from '../../sdk/services.ts'
import { ConfigurationError } from './configuration-error.ts'
import { keysOfSet, type VerificationKey } from './keys.ts'
import './log.ts'
import type { KeyType } from './schema.ts'

export interface KeySetOptions {
  readonly url: string
  /** The only type of keys to take; null: all. */
  readonly type: KeyType | null
  readonly outgoing: Outgoing
  readonly observe: Observer
  /** Milliseconds from a refresh that failed, or whose answer has no lifetime, to the next. */
  readonly retryDelay?: number
}

interface FetchedKeys {
  readonly keys: readonly VerificationKey[]
  /** Milliseconds since 1970; null: the answer does not say. */
  readonly expiresAt: number | null
}

const requestTimeout = 30_000
const maxSetSize = 1_048_576
const defaultRetryDelay = 60_000
/** Answers that are old at once must not make a loop. */
const shortestDelay = 1_000

export class KeySet {
  readonly #options: KeySetOptions
  #keys: readonly VerificationKey[] = []
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: KeySetOptions) {
    this.#options = options
  }

  /** The keys as last fetched. */
  get keys(): readonly VerificationKey[] {
    return this.#keys
  }

  /** Fetches the keys; throws a {@link ConfigurationError} when they cannot be had. */
  async start(): Promise<void> {
    const { keys, expiresAt } = await fetchKeys(this.#options)
    this.#keys = keys
    // Without a lifetime the first answer holds for good.
    if (expiresAt !== null) this.#refreshAfter(delayUntil(expiresAt))
  }

  /** Ends refreshing. */
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
      const { keys, expiresAt } = await fetchKeys(this.#options)
      this.#keys = keys
      if (expiresAt !== null) next = delayUntil(expiresAt)
      observe.log({ type: 'jwk-refresh-log', level: 'info', detail: { message: 'refreshed the JWKs', error: null } })
    } catch (error) {
      const detail = { message: 'could not refresh the JWKs, the old ones stay', error: messageOf(error) }
      if (!this.#stopped) observe.log({ type: 'jwk-refresh-log', level: 'critical', detail })
    }
    this.#refreshAfter(next)
  }
}

const delayUntil = (time: number): number => Math.min(Math.max(time - Date.now(), shortestDelay), longestTimer)

async function fetchKeys({ url, type, outgoing }: KeySetOptions): Promise<FetchedKeys> {
  const shown = loggableUrl(url)
  const request = { method: 'GET', url, timeout: requestTimeout, maxResponseSize: maxSetSize } as const
  const { status, headers, body } = await outgoing.send(request).catch((error: Error) => {
    throw new ConfigurationError(`Error fetching JWK: ${error.message}`)
  })
  if (status < 200 || status > 299) throw new ConfigurationError(`Non-2xx response on fetching JWK from: ${shown}`)
  const keys = parseKeys(body, type)
  if (keys === null) throw new ConfigurationError(`Error parsing JWK from url: ${shown}`)
  const { expiresAt } = freshnessOf(headerOf(headers, 'cache-control'), headerOf(headers, 'expires'), Date.now())
  return { keys, expiresAt }
}

const headerOf = (headers: OutgoingResponse['headers'], name: string): string | undefined =>
  headers[name] === undefined ? undefined : String(headers[name])

/** Null when the body is no key set, or none of its keys can be used: the keys at hand are better than none. */
function parseKeys(body: Buffer, type: KeyType | null): VerificationKey[] | null {
  try {
    const keys = keysOfSet(JSON.parse(body.toString('utf8')), type)
    return keys.length === 0 ? null : keys
  } catch {
    return null
  }
}
