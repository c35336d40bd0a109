// The deliveries of an instance, by trigger: those in flight, and those that ended within the last moments.

import { prefetchWindowMillis, RecentCount } from '../../../sdk/services.ts'

export class Activity {
  #running = 0
  readonly #runningOf = new Map<string, number>()
  readonly #ended = new Map<string, RecentCount>()

  /** Deliveries in flight. */
  get running(): number {
    return this.#running
  }

  /** Those of a trigger. */
  runningOf(trigger: string): number {
    return this.#runningOf.get(trigger) ?? 0
  }

  began(trigger: string): void {
    this.#running++
    this.#runningOf.set(trigger, this.runningOf(trigger) + 1)
  }

  ended(trigger: string): void {
    this.#running--
    const left = this.runningOf(trigger) - 1
    if (left > 0) this.#runningOf.set(trigger, left)
    else this.#runningOf.delete(trigger)
    const count = this.#ended.get(trigger) ?? new RecentCount(prefetchWindowMillis)
    count.add(1, performance.now())
    this.#ended.set(trigger, count)
  }

  /** The deliveries of a trigger that ended within the last moments: as many events may wait in the prefetch. */
  recent(trigger: string): number {
    return this.#ended.get(trigger)?.most(performance.now()) ?? 0
  }

  /** Forgets triggers that no longer exist. */
  keep(triggers: { has(name: string): boolean }): void {
    for (const name of this.#ended.keys()) if (!triggers.has(name)) this.#ended.delete(name)
  }
}
