// What a worker has claimed and not begun yet: the next of it is begun as soon as there is room, without asking the database.
//
// Others may do with what lies in a hand what they like as little as with what is being delivered, so it is no more than is
// begun within moments, by what was delivered just before: with slow webhooks it is nothing. What all the same is not begun soon,
// since webhooks became slow, is given back.

import { RecentCount } from './recent-count.ts'

/** Milliseconds of deliveries that may lie in a hand. */
const windowMillis = 100

interface Held<Item> {
  readonly item: Item
  /** When it was claimed, by `performance.now()`. */
  readonly since: number
}

export class Hand<Item> {
  #held: Held<Item>[] = []
  /** How many were taken out of #held. */
  #next = 0
  readonly #delivered = new RecentCount(windowMillis)

  get size(): number {
    return this.#held.length - this.#next
  }

  add(items: readonly Item[], now: number): void {
    this.#held = this.#held.slice(this.#next)
    this.#next = 0
    for (const item of items) this.#held.push({ item, since: now })
  }

  /** The one that was claimed first. */
  take(): Held<Item> | undefined {
    return this.#held[this.#next] && this.#held[this.#next++]
  }

  /** Puts down what was claimed until then, which is not begun any more. */
  putDown(until = Number.POSITIVE_INFINITY): Item[] {
    const held = this.#held.slice(this.#next)
    this.#held = held.filter(({ since }) => since > until)
    this.#next = 0
    return held.filter(({ since }) => since <= until).map(({ item }) => item)
  }

  /** Notes that something was delivered. */
  delivered(now: number): void {
    this.#delivered.add(1, now)
  }

  /** How much may lie in it. */
  room(now: number): number {
    return this.#delivered.most(now)
  }
}
