// Limits the writes that run at once. While processors are the limit, many parallel writes get hardly more done than a cpuBoundWrites,
// and reads pay for it: beside 64 writing clients a short read takes four times as long without the limit. Writes that wait
// for a disk, a standby or a lock have to run in parallel. The duration of cpuBoundWrites parallel writes shows which case it is.

import { performance } from 'node:perf_hooks'
import { countedWriteMillis, cpuBoundWriteMillis, cpuBoundWrites, measuredWrites, trustedWrites } from '../tuning.ts'

/** The place of an admitted write. */
export class Place {
  readonly since = performance.now()
}

export class WriteLimiter {
  readonly #waiting = new Set<() => void>()
  /** Places that count towards the limit, in order of admission. */
  readonly #counted = new Set<Place>()
  #isOpen = false
  #ended = 0
  #millis = 0
  #timer: NodeJS.Timeout | null = null

  /** Admits a write, at once or when there is room; the caller has to call {@link leave} afterwards. */
  enter(signal: AbortSignal | null): Place | Promise<Place> {
    if (this.#hasRoom) return this.#admit()
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(next)
        reject(signal!.reason)
      }
      const next = () => {
        this.#waiting.delete(next)
        signal?.removeEventListener('abort', stop)
        resolve(this.#admit())
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#waiting.add(next)
      this.#watch()
    })
  }

  /** Frees the place of a write that was answered or failed. */
  leave(place: Place): void {
    this.#millis += performance.now() - place.since
    if (++this.#ended >= (this.#isOpen ? trustedWrites : measuredWrites)) this.#judge()
    this.#counted.delete(place)
    this.#letIn()
  }

  get #hasRoom(): boolean {
    return this.#isOpen || this.#counted.size < cpuBoundWrites
  }

  #admit(): Place {
    const place = new Place()
    this.#counted.add(place)
    return place
  }

  #letIn(): void {
    for (const next of this.#waiting) {
      if (!this.#hasRoom) return
      next()
    }
  }

  /** An open limiter closes again after a while, to measure how long cpuBoundWrites parallel writes take. */
  #judge(): void {
    this.#isOpen = !this.#isOpen && this.#millis / this.#ended > cpuBoundWriteMillis
    this.#ended = 0
    this.#millis = 0
  }

  /** While writes wait, checks which running ones have exceeded their time. */
  #watch(): void {
    if (this.#timer) return
    // After a blocked event loop, answers may be waiting to be read: they come first.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), countedWriteMillis)
  }

  #look(): void {
    this.#timer = null
    const now = performance.now()
    for (const place of this.#counted) {
      if (now - place.since < countedWriteMillis) break
      this.#counted.delete(place)
    }
    this.#letIn()
    if (this.#waiting.size > 0) this.#watch()
  }
}
