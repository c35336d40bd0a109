// The limit of connections that are opened to one host at once. A receiver has a queue of connections that it has not accepted, often
// of five. While the queue is full, its kernel drops connections: ours tries again a second later or more, or takes the connection for
// open, and no request on it ever arrives. So few are opened at first, and more as the host answers.

import { longestTimer } from '../concurrency/timers.ts'
import { codeOf } from '../errors/thrown.ts'

/** Connections that any host can take at once: fewer than the shortest queue that is common. */
const firstLimit = 4

/** The pace of opening, as a multiple of the limit in the time of an answer: many answers at once are not followed by as many openings. */
const haste = 2

/** Milliseconds of that pace that may be saved up. */
const savedMillis = 4

/** Milliseconds after which an open connection counts as accepted without an answer: handlers may be slow. */
const patience = 50

/** Milliseconds after which a connection that is not open counts as dropped: the kernel tries again after a second. */
const stallMillis = 900

/** Milliseconds within which stalls are one stall. */
const oneStall = 500

/** Hosts that are remembered. */
const mostHosts = 1000

/** A request for a connection that waits for its turn. */
interface Waiting {
  start(opening: Opening): void
  fail(error: Error): void
}

/** The limits of all hosts. */
export class Openings {
  readonly #hosts = new Map<string, HostOpenings>()

  /** The limit of one host. */
  at(protocol: string, hostname: string, port: string): HostOpenings {
    const key = `${protocol}//${hostname}:${port}`
    const known = this.#hosts.get(key)
    if (known) return known
    if (this.#hosts.size >= mostHosts) for (const [name, host] of this.#hosts) if (host.isIdle) this.#hosts.delete(name)
    const host = new HostOpenings()
    this.#hosts.set(key, host)
    return host
  }

  /** Ends all waiting. */
  close(): void {
    for (const host of this.#hosts.values()) host.fail(new Error('the client was closed'))
  }
}

/** The limit of one host: as in TCP it doubles at first, is halved by a stall, and grows slowly afterwards. */
export class HostOpenings {
  /** In the order in which they wait. */
  readonly #waiting = new Set<Waiting>()
  /** Connections that count against the limit, in the order in which they began. */
  readonly #unanswered = new Set<Opening>()
  #limit = firstLimit
  /** The limit from which it grows slowly. */
  #threshold = Number.POSITIVE_INFINITY
  #shrunkAt = Number.NEGATIVE_INFINITY
  #reachedAt = Number.NEGATIVE_INFINITY
  /** The fewest milliseconds that connecting took. */
  #fastest = Number.POSITIVE_INFINITY
  /** Milliseconds that it takes until a connection is answered, of late. */
  #answerMillis: number | null = null
  /** How many may be opened now. */
  #tokens = firstLimit
  #refilledAt = performance.now()
  #pacing: NodeJS.Timeout | undefined

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#unanswered.size === 0
  }

  /** Calls `start` as soon as a connection may be opened, perhaps at once; the function that it returns ends the waiting. */
  open(start: Waiting['start'], fail: Waiting['fail']): () => void {
    const waiting = { start, fail }
    this.#waiting.add(waiting)
    this.#startNext()
    return () => void this.#waiting.delete(waiting)
  }

  /** Fails all that wait. */
  fail(error: Error): void {
    clearTimeout(this.#pacing)
    this.#pacing = undefined
    const failed = [...this.#waiting]
    this.#waiting.clear()
    for (const { fail } of failed) fail(error)
  }

  /** Milliseconds that connecting may take: more where even the fastest connection took long. */
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

  /** Notes that a connection is still not open. It stops counting, so that others go on. */
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

  /** Notes that a connection is gone. */
  ended(opening: Opening): void {
    if (this.#unanswered.delete(opening)) this.#startNext()
  }

  /** Notes that a connection could not be opened; whether another try is worth it, since the host answers others. */
  failed(opening: Opening, error: Error): boolean {
    const isReached = this.#reachedAt > opening.began
    // On a host that no connection reaches, each that waits would fail after the same time.
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
    const perMilli = Math.max(1, (haste * this.#limit) / (this.#answerMillis ?? haste))
    const saved = this.#tokens + perMilli * (now - this.#refilledAt)
    this.#tokens = Math.min(saved, Math.max(firstLimit, savedMillis * perMilli))
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

/** One connection on its way. */
export class Opening {
  readonly began = performance.now()
  readonly #host: HostOpenings
  #timer: NodeJS.Timeout
  #isConnecting = true

  constructor(host: HostOpenings) {
    this.#host = host
    this.#timer = this.#later(host.stallMillis)
  }

  /** It is open; `isAccepted`: by the receiver, not by its kernel alone. */
  connected(isAccepted = false): void {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    this.#host.connected(this)
    if (isAccepted) this.answered()
    else this.#timer = setTimeout(() => this.answered(), patience).unref()
  }

  /** Something was received on it. */
  answered(): void {
    clearTimeout(this.#timer)
    this.#host.answered(this)
  }

  /** It is closed. */
  ended(): void {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    this.#host.ended(this)
  }

  /** It could not be opened; whether another try is worth it. */
  failed(error: Error): boolean {
    this.#isConnecting = false
    clearTimeout(this.#timer)
    return this.#host.failed(this, error)
  }

  #later(millis: number): NodeJS.Timeout {
    // In a busy process timers run before the event of a connection that was made meanwhile.
    const check = () => setImmediate(() => this.#stall(millis))
    return setTimeout(check, Math.min(millis, longestTimer)).unref()
  }

  #stall(millis: number): void {
    if (!this.#isConnecting) return
    this.#host.stalled(this)
    this.#timer = this.#later(2 * millis)
  }
}
