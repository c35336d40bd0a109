// The claimed items that wait for room: the next run begins without a statement in between.
//
// Prefetched items are leased, so no other worker can take them. The limit is therefore the number of runs that ended within the
// last moments; with slow runs it is 0. Items that wait longer, because runs became slow, are released.
// Groups, such as the triggers of events, take turns, so that an item waits for one item of each other group at most.

import { RecentCount } from './recent-count.ts'
import { prefetchWindowMillis } from './tuning.ts'

interface Prefetched<Item> {
  readonly item: Item
  /** When it was claimed, by `performance.now()`. */
  readonly since: number
}

export class Prefetch<Item> {
  readonly #groupOf: (item: Item) => string | undefined
  /** The items of each group, newest first; the group whose turn it is comes first. */
  readonly #waiting = new Map<string | undefined, Prefetched<Item>[]>()
  #size = 0
  readonly #ended = new RecentCount(prefetchWindowMillis)

  constructor(groupOf: (item: Item) => string | undefined = () => undefined) {
    this.#groupOf = groupOf
  }

  get size(): number {
    return this.#size
  }

  add(items: readonly Item[], now: number): void {
    for (const [name, claimed] of Map.groupBy(items, this.#groupOf)) {
      const added = claimed.map((item) => ({ item, since: now })).reverse()
      this.#waiting.set(name, [...added, ...(this.#waiting.get(name) ?? [])])
    }
    this.#size += items.length
  }

  /** Takes the item that was claimed first, of the next group in turn whose items may begin. */
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

  /** Counts an ended run. */
  ended(now: number): void {
    this.#ended.add(1, now)
  }

  /** The number of items that may be prefetched now. */
  room(now: number): number {
    return this.#ended.most(now)
  }
}
