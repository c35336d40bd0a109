// When parked events are looked over that nobody is going to claim: once a minute, and more often at first, and after a trigger
// was resumed. Who wrote an event while it was paused and commits afterwards has parked it, however long that takes.

/** Milliseconds between two looks: twice as many each time. */
const shortestGap = 1000
const longestGap = 60_000

export class UnparkTimes {
  #paused: readonly string[] = []
  #next = Number.NEGATIVE_INFINITY
  #gap = shortestGap

  /** Milliseconds until the next look; `paused`: the triggers that are. */
  wait(paused: readonly string[], now: number): number {
    if (this.#paused.some((name) => !paused.includes(name))) {
      this.#gap = shortestGap
      this.#next = now
    }
    this.#paused = paused
    return Math.max(0, this.#next - now)
  }

  /** Notes that a look began. */
  looked(now: number): void {
    this.#next = now + this.#gap
    this.#gap = Math.min(longestGap, this.#gap * 2)
  }
}
