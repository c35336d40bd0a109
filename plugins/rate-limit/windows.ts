// How often clients asked within the last minute, in memory that does not grow: two counts for each client, and the
// clients that asked last.

import { LRUCache } from 'lru-cache'

const minute = 60_000

/** Clients that are remembered; one that is forgotten begins anew. */
const maxClients = 20_000

/** Requests by whole minutes of the clock. */
interface Counts {
  /** Which minute since 1970 `current` counts. */
  minute: number
  current: number
  /** Of the minute before. */
  previous: number
}

/** A minute that slides: of the minute of the clock before this one counts the part that is not a minute ago. */
export class SlidingWindows {
  readonly #clients = new LRUCache<string, Counts>({ max: maxClients })
  readonly #now: () => number

  /** `now` is in milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Counts `weight` more requests of a client if the limit leaves room for them: then the answer is null, else the
   * milliseconds until it will, as far as it is known now.
   */
  take(client: string, limit: number, weight = 1): number | null {
    const now = this.#now()
    const counts = this.#countsOf(client, Math.floor(now / minute))
    const wait = waitingTime(counts, { limit, weight, elapsed: now % minute })
    if (wait === 0) counts.current += weight
    return wait === 0 ? null : wait
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

/** Milliseconds until there is room; `elapsed` of this minute have passed. In whole numbers, so that it is exact. */
function waitingTime(
  { current, previous }: Counts,
  { limit, weight, elapsed }: { readonly limit: number; readonly weight: number; readonly elapsed: number },
): number {
  const room = limit - weight
  if (room < 0) return minute
  if (previous * (minute - elapsed) <= (room - current) * minute) return 0
  // Within this minute, as the one before slides out; else within the next, as this one does.
  if (current <= room) return Math.ceil((minute * (previous + current - room)) / previous) - elapsed
  return minute - elapsed + Math.ceil((minute * (current - room)) / current)
}
