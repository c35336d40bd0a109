// Counts the requests of clients within the last minute. Memory is bounded: two counts per client, for the most
// recent clients.

import { LRUCache } from 'lru-cache'
import { maxClients } from './tuning.ts'

const minute = 60_000

/** Requests per minute of the clock. */
interface Counts {
  /** The minute of `current`, since 1970. */
  minute: number
  current: number
  /** The count of the minute before. */
  previous: number
}

/**
 * A sliding window of one minute. It weights the previous minute of the clock by the part that is still within the
 * window.
 */
export class SlidingWindows {
  // By size, because `max` allocates all places at once.
  readonly #clients = new LRUCache<string, Counts>({ maxSize: maxClients, sizeCalculation: () => 1 })
  readonly #now: () => number

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Milliseconds until the limit permits `weight` requests of a client, by the present counts; 0: it does. */
  waitFor(client: string, limit: number, weight: number): number {
    const now = this.#now()
    const counts = this.#countsOf(client, Math.floor(now / minute))
    return waitingTime(counts, { limit, weight, elapsed: now % minute })
  }

  /** Counts requests of a client; a negative `weight` takes back earlier ones. */
  add(client: string, weight: number): void {
    this.#countsOf(client, Math.floor(this.#now() / minute)).current += weight
  }

  #countsOf(client: string, at: number): Counts {
    let counts = this.#clients.get(client)
    if (!counts) {
      counts = { minute: at, current: 0, previous: 0 }
      this.#clients.set(client, counts)
    } else if (counts.minute !== at) {
      counts.previous = counts.minute === at - 1 ? counts.current : 0
      counts.current = 0
      counts.minute = at
    }
    return counts
  }
}

/**
 * Milliseconds until the limit permits `weight`; `elapsed` is the time within this minute. All numbers are integers,
 * so the result is exact.
 */
function waitingTime(
  { current, previous }: Counts,
  { limit, weight, elapsed }: { readonly limit: number; readonly weight: number; readonly elapsed: number },
): number {
  const room = limit - weight
  if (room < 0) return minute
  if (previous * (minute - elapsed) <= (room - current) * minute) return 0
  // The previous minute leaves the window within this minute; otherwise this one does within the next.
  if (current <= room) return Math.ceil((minute * (previous + current - room)) / previous) - elapsed
  return minute - elapsed + Math.ceil((minute * (current - room)) / current)
}
