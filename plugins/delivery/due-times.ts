// When retried items are due again, as far as this instance knows, so that it need not ask the database.

import { dueTimeGrainMillis, dueTimeHorizonMillis } from './tuning.ts'

export class DueTimes {
  readonly #times = new Set<number>()
  #first = Number.POSITIVE_INFINITY

  /** Notes a due time. */
  add(at: number, now: number): void {
    if (at - now > dueTimeHorizonMillis) return
    const time = Math.ceil(at / dueTimeGrainMillis) * dueTimeGrainMillis
    this.#times.add(time)
    this.#first = Math.min(this.#first, time)
  }

  /** Milliseconds until the first due time; infinite: none is known. Times up to `looked` are forgotten. */
  wait(looked: number, now: number): number {
    if (this.#first <= looked) {
      for (const time of this.#times) if (time <= looked) this.#times.delete(time)
      this.#first = Math.min(Number.POSITIVE_INFINITY, ...this.#times)
    }
    return Math.max(0, this.#first - now)
  }
}
