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
  /** The answer that they are in. */
  readonly text: string
  /** Milliseconds since 1970; null: the answer does not say. */
  readonly expiresAt: number | null
}

const requestTimeout = 30_000
const maxSetSize = 1_048_576
const defaultRetryDelay = 60_000
/** Answers that are old at once must not make a loop. */
const shortestDelay = 1_000
/** What says of an answer without an age that it must not be used again unasked. */
const staleAtOnce = /(?:^|[\s,;])(?:no-cache|no-store|must-revalidate)(?:$|[\s,;=])/i

export class KeySet {
  readonly #options: KeySetOptions
  #keys: readonly VerificationKey[] = []
  #text = ''
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
    const fetched = await fetchKeys(this.#options)
    this.#take(fetched)
    const { expiresAt } = fetched
    // Without a lifetime the first answer holds for good.
    if (expiresAt !== null) this.#refreshAfter(delayUntil(expiresAt))
  }

  /** Ends refreshing. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Whether they are others than before; the same ones stay the same list, by which signatures are remembered. */
  #take({ keys, text }: FetchedKeys): boolean {
    if (text === this.#text) return false
    this.#keys = keys
    this.#text = text
    return true
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
      const fetched = await fetchKeys(this.#options)
      const level = this.#take(fetched) ? 'info' : 'debug'
      if (fetched.expiresAt !== null) next = delayUntil(fetched.expiresAt)
      observe.log({ type: 'jwk-refresh-log', level, detail: { message: 'refreshed the JWKs', error: null } })
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
  const text = body.toString('utf8')
  const keys = parseKeys(text, type)
  if (keys === null) throw new ConfigurationError(`Error parsing JWK from url: ${shown}`)
  return { keys, text, expiresAt: expiryOf(headers, Date.now()) }
}

function expiryOf(headers: OutgoingResponse['headers'], now: number): number | null {
  const cacheControl = headerOf(headers, 'cache-control')
  const { expiresAt } = freshnessOf(cacheControl, headerOf(headers, 'expires'), now)
  return expiresAt ?? (staleAtOnce.test(cacheControl ?? '') ? now : null)
}

const headerOf = (headers: OutgoingResponse['headers'], name: string): string | undefined =>
  headers[name] === undefined ? undefined : String(headers[name])

/** Null when the body is no key set, or none of its keys can be used: the keys at hand are better than none. */
function parseKeys(text: string, type: KeyType | null): VerificationKey[] | null {
  try {
    const keys = keysOfSet(JSON.parse(text), type)
    return keys.length === 0 ? null : keys
  } catch {
    return null
  }
}
