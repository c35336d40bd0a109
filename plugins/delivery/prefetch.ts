// The claimed items that wait for room: the next delivery begins without a statement in between.
//
// Prefetched items are leased, so no other worker can take them. The limit is therefore the number of deliveries that ended
// within the last moments; with slow webhooks it is 0. Items that wait longer, because webhooks became slow, are released.

import { RecentCount } from './recent-count.ts'
import { prefetchWindowMillis } from './tuning.ts'

interface Prefetched<Item> {
  readonly item: Item
  /** When it was claimed, by `performance.now()`. */
  readonly since: number
}

export class Prefetch<Item> {
  #items: Prefetched<Item>[] = []
  /** The number of items already taken out of #items. */
  #next = 0
  readonly #delivered = new RecentCount(prefetchWindowMillis)

  get size(): number {
    return this.#items.length - this.#next
  }

  add(items: readonly Item[], now: number): void {
    this.#items = this.#items.slice(this.#next)
    this.#next = 0
    for (const item of items) this.#items.push({ item, since: now })
  }

  /** Takes the item that was claimed first. */
  take(): Prefetched<Item> | undefined {
    return this.#items[this.#next] && this.#items[this.#next++]
  }

  /** Removes the items that were claimed up to a time. */
  remove(until = Number.POSITIVE_INFINITY): Item[] {
    const held = this.#items.slice(this.#next)
    this.#items = held.filter(({ since }) => since > until)
    this.#next = 0
    return held.filter(({ since }) => since <= until).map(({ item }) => item)
  }

  /** Counts an ended delivery. */
  delivered(now: number): void {
    this.#delivered.add(1, now)
  }

  /** The number of items that may be prefetched now. */
  room(now: number): number {
    return this.#delivered.most(now)
  }
}
