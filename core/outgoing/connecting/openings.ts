// Limits how many connections are opened to one host at the same time. A receiver has a queue of connections that it
// has not accepted yet, often of five. When the queue is full, its kernel drops connections. Ours then retries after
// a second or more, or considers the connection open, and no request on it ever arrives. So only a few are opened at
// first, and more as the host answers.

import { longestTimer } from '../../concurrency/timers.ts'
import { codeOf } from '../../errors/thrown.ts'
import { acceptMillis, burstMillis, firstLimit, mostHosts, oneStall, openingRate, stallMillis } from '../tuning.ts'

/** A request for a connection that waits. */
interface Waiting {
  start(opening: Opening): void
  fail(error: Error): void
}

/** The limits of all hosts. */
export class Openings {
  readonly #hosts = new Map<string, HostOpenings>()

  /** Returns the limit of one host. */
  at(protocol: string, hostname: string, port: string): HostOpenings {
    const key = `${protocol}//${hostname}:${port}`
    const known = this.#hosts.get(key)
    if (known) return known
    if (this.#hosts.size >= mostHosts) for (const [name, host] of this.#hosts) if (host.isIdle) this.#hosts.delete(name)
    const host = new HostOpenings()
    this.#hosts.set(key, host)
    return host
  }

  /** Fails all waiting requests. */
  close(): void {
    for (const host of this.#hosts.values()) host.fail(new Error('the client was closed'))
  }
}

/** The limit of one host. As in TCP it doubles at first, is halved by a stall, and grows slowly afterwards. */
export class HostOpenings {
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiting>()
  /** Connections that count against the limit, in the order in which they were begun. */
  readonly #unanswered = new Set<Opening>()
  #limit = firstLimit
  /** The limit above which growth is slow. */
  #threshold = Number.POSITIVE_INFINITY
  #shrunkAt = Number.NEGATIVE_INFINITY
  #reachedAt = Number.NEGATIVE_INFINITY
  /** The shortest time that connecting took, in milliseconds. */
  #fastest = Number.POSITIVE_INFINITY
  /** The moving average of milliseconds until a connection is answered. */
  #answerMillis: number | null = null
  /** How many connections may be opened now (token bucket). */
  #tokens = firstLimit
  #refilledAt = performance.now()
  #pacing: NodeJS.Timeout | undefined

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#unanswered.size === 0
  }

  /** Calls `start` as soon as a connection may be opened, possibly at once. The returned function ends the waiting. */
  open(start: Waiting['start'], fail: Waiting['fail']): () => void {
    const waiting = { start, fail }
    this.#waiting.add(waiting)
    this.#startNext()
    return () => void this.#waiting.delete(waiting)
  }

  /** Fails all waiting requests of this host. */
  fail(error: Error): void {
    clearTimeout(this.#pacing)
    this.#pacing = undefined
    const failed = [...this.#waiting]
    this.#waiting.clear()
    for (const { fail } of failed) fail(error)
  }

  /** Milliseconds that connecting may take: longer if even the fastest connection took long. */
  get stallMillis(): number {
    return this.#fastest === Number.POSITIVE_INFINITY ? stallMillis : Math.max(stallMillis, 3 * this.#fastest)
  }

  /** Notes that a connection is open. */
  connected(opening: Opening): void {
    this.#reachedAt = performance.now()
    this.#fastest = Math.min(this.#fastest, this.#reachedAt - opening.began)
  }

  /** Notes that a connection was accepted. */
  answered(opening: Opening): void {
    this.#reachedAt = performance.now()
    const took = this.#reachedAt - opening.began
    this.#answerMillis = this.#answerMillis === null ? took : this.#answerMillis + (took - this.#answerMillis) / 8
    // An older connection without an answer may have been dropped.
    const isInOrder = this.#unanswered.values().next().value === opening
    if (!this.#unanswered.delete(opening)) return
    if (this.#waiting.size === 0) this.#limit = Math.max(Math.min(this.#limit, firstLimit), this.#unanswered.size)
    else if (isInOrder) this.#limit += this.#limit < this.#threshold ? 1 : 1 / this.#limit
    this.#startNext()
  }

  /** Notes that a connection is still not open. It no longer counts, so that others can proceed. */
  stalled(opening: Opening): void {
    this.#unanswered.delete(opening)
    const now = performance.now()
    if (now - this.#shrunkAt > oneStall) {
      this.#shrunkAt = now
      this.#limit = Math.max(1, Math.floor(this.#limit / 2))
      this.#threshold = this.#limit
    }
    this.#startNext()
  }

  /** Notes that a connection is closed. */
  ended(opening: Opening): void {
    if (this.#unanswered.delete(opening)) this.#startNext()
  }

  /**
   * Notes that a connection could not be opened. Returns whether to retry, because the host answers other
   * connections.
   */
  failed(opening: Opening, error: Error): boolean {
    const isReached = this.#reachedAt > opening.began
    // If no connection reaches the host, each waiting request would fail after the same time.
    if (!isReached && performance.now() - opening.began > stallMillis) this.fail(error)
    this.ended(opening)
    return isReached && /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/.test(codeOf(error) ?? '')
  }

  #startNext(): void {
    while (this.#unanswered.size < Math.floor(this.#limit)) {
      const [next] = this.#waiting
      if (!next || !this.#takeToken()) return
      this.#waiting.delete(next)
      const opening = new Opening(this)
      this.#unanswered.add(opening)
      next.start(opening)
    }
  }

  #takeToken(): boolean {
    const now = performance.now()
    const perMilli = Math.max(1, (openingRate * this.#limit) / (this.#answerMillis ?? openingRate))
    const saved = this.#tokens + perMilli * (now - this.#refilledAt)
    this.#tokens = Math.min(saved, Math.max(firstLimit, burstMillis * perMilli))
    this.#refilledAt = now
    if (this.#tokens >= 1) {
      this.#tokens--
      return true
    }
    this.#pacing ??= setTimeout(() => {
      this.#pacing = undefined
      this.#startNext()
    }, 1)
    return false
  }
}

/** One connection, from its beginning to its end. */
export class Opening {
  readonly began = performance.now()
  readonly #host: HostOpenings
  #timer: NodeJS.Timeout
  #isConnecting = true

  constructor(host: HostOpenings) {
    this.#host = host
    this.#timer = this.#later(host.stallMillis)
  }

  /** The connection is open. `isAccepted`: by the program, not only by its kernel. */
  connected(isAccepted = false): void {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    this.#host.connected(this)
    if (isAccepted) this.answered()
    else this.#timer = setTimeout(() => this.answered(), acceptMillis).unref()
  }

  /** Bytes were received. */
  answered(): void {
    clearTimeout(this.#timer)
    this.#host.answered(this)
  }

  /** The connection is closed. */
  ended(): void {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    this.#host.ended(this)
  }

  /** The connection could not be opened. Returns whether to retry. */
  failed(error: Error): boolean {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    return this.#host.failed(this, error)
  }

  #later(millis: number): NodeJS.Timeout {
    // In a busy process, timers run before the pending `connect` event of a connection.
    const check = () => setImmediate(() => this.#stall(millis))
    return setTimeout(check, Math.min(millis, longestTimer)).unref()
  }

  #stall(millis: number): void {
    if (!this.#isConnecting) return
    this.#host.stalled(this)
    this.#timer = this.#later(2 * millis)
  }
}
