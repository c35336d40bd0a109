// How many writes are at work at once. Each has a connection for itself, but where processors are what limits, many at once get
// hardly more done than a few, and whoever reads meanwhile pays for it: beside 64 clients that write, a short read takes four
// times as long when all of them are at work. Where writes wait instead, for a disk, a standby or a lock, many have to be on
// their way together. Which of the two it is shows in how long they take when there are few.

import { performance } from 'node:perf_hooks'

/** At work at once while processors are what limits. */
const few = 8

/** So many writes are looked at before it is judged, and the judgement holds for so many when there may be more. */
const [judgedWrites, trustedWrites] = [64, 2048]

/** Milliseconds that a write takes on average at most when it only works. */
const workingMillis = 3

/** Milliseconds after which one that is at work does not count any more: it waits, and leaves its place to another. */
const countedMillis = 5

/** What a write that has been let in holds. */
export class Place {
  readonly since = performance.now()
}

export class WriteGate {
  readonly #waiting = new Set<() => void>()
  /** Those that count, in the order in which they were let in. */
  readonly #counted = new Set<Place>()
  #isOpen = false
  #ended = 0
  #millis = 0
  #timer: NodeJS.Timeout | null = null

  /** Lets a write in, at once or when there is room; {@link leave} has to follow. */
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

  /** The write was answered, or failed. */
  leave(place: Place): void {
    this.#millis += performance.now() - place.since
    if (++this.#ended >= (this.#isOpen ? trustedWrites : judgedWrites)) this.#judge()
    this.#counted.delete(place)
    this.#letIn()
  }

  get #hasRoom(): boolean {
    return this.#isOpen || this.#counted.size < few
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

  /** When many are let in it is seen again now and then what few take. */
  #judge(): void {
    this.#isOpen = !this.#isOpen && this.#millis / this.#ended > workingMillis
    this.#ended = 0
    this.#millis = 0
  }

  /** While writes wait, looks at those that are at work for long. */
  #watch(): void {
    if (this.#timer) return
    // When the event loop stood still answers may be waiting to be read, which comes first.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), countedMillis)
  }

  #look(): void {
    this.#timer = null
    const now = performance.now()
    for (const place of this.#counted) {
      if (now - place.since < countedMillis) break
      this.#counted.delete(place)
    }
    this.#letIn()
    if (this.#waiting.size > 0) this.#watch()
  }
}
