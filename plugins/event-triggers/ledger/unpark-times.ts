// When the unpark job looks for parked events that wait for nothing: often at first and after a resume, then once a minute. A
// transaction that wrote an event while its trigger was paused may commit at any later time.

import { longestUnparkMillis, shortestUnparkMillis } from '../tuning.ts'

export class UnparkTimes {
  #paused: readonly string[] = []
  #next = Number.NEGATIVE_INFINITY
  #gap = shortestUnparkMillis

  /** Milliseconds until the next run; `paused`: the paused triggers. */
  wait(paused: readonly string[], now: number): number {
    if (this.#paused.some((name) => !paused.includes(name))) {
      this.#gap = shortestUnparkMillis
      this.#next = now
    }
    this.#paused = paused
    return Math.max(0, this.#next - now)
  }

  /** Notes the begin of a run. */
  looked(now: number): void {
    this.#next = now + this.#gap
    this.#gap = Math.min(longestUnparkMillis, this.#gap * 2)
  }
}
