// The claimed items that wait for room: the next delivery begins without a statement in between.
//
// Prefetched items are leased, so no other worker can take them. The limit is therefore the number of deliveries that ended
// within the last moments; with slow webhooks it is 0. Items that wait longer, because webhooks became slow, are released.
// Triggers take turns, so that an item waits for one item of each other trigger at most.

import type { Claimed } from './ledger.ts'
import { RecentCount } from './recent-count.ts'
import { prefetchWindowMillis } from './tuning.ts'

interface Prefetched<Item> {
  readonly item: Item
  /** When it was claimed, by `performance.now()`. */
  readonly since: number
}

export class Prefetch<Item extends Pick<Claimed, 'trigger_name'>> {
  /** The items of each trigger, newest first; the trigger whose turn it is comes first. */
  readonly #waiting = new Map<string | undefined, Prefetched<Item>[]>()
  #size = 0
  readonly #delivered = new RecentCount(prefetchWindowMillis)

  get size(): number {
    return this.#size
  }

  add(items: readonly Item[], now: number): void {
    for (const [name, claimed] of Map.groupBy(items, ({ trigger_name }) => trigger_name)) {
      const added = claimed.map((item) => ({ item, since: now })).reverse()
      this.#waiting.set(name, [...added, ...(this.#waiting.get(name) ?? [])])
    }
    this.#size += items.length
  }

  /** Takes the item that was claimed first, of the next trigger in turn whose deliveries may begin. */
  take(mayBegin: (item: Item) => boolean = () => true): Prefetched<Item> | undefined {
    for (const [name, waiting] of this.#waiting) {
      const next = waiting.at(-1)
      if (!next || !mayBegin(next.item)) continue
      waiting.pop()
      this.#waiting.delete(name)
      if (waiting.length > 0) this.#waiting.set(name, waiting)
      this.#size--
      return next
    }
    return undefined
  }

  /** Removes the items that were claimed up to a time. */
  remove(until = Number.POSITIVE_INFINITY): Item[] {
    const removed: Item[] = []
    for (const [name, waiting] of [...this.#waiting]) {
      const kept = waiting.filter(({ since }) => since > until)
      if (kept.length > 0) this.#waiting.set(name, kept)
      else this.#waiting.delete(name)
      removed.push(...waiting.slice(kept.length).map(({ item }) => item))
    }
    this.#size -= removed.length
    return removed
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
