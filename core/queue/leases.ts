// The items that a worker holds a lease on and whose outcome is not recorded yet.

import type { Leased } from './ledger.ts'

export class Leases<Item extends Leased> {
  #items = new Map<string, Item>()
  #size = 0
  /**
   * Items that a claim returned while they were leased, by id. Replies to claims and records overtake each other, so only the
   * ledger knows the order. The lease may have expired and the claim come first: then the outcome has ended the new
   * lease as well. Or the outcome came first, and the item was due again at once.
   */
  readonly #reclaimed = new Map<string, Item>()

  get count(): number {
    return this.#items.size
  }

  /** Characters that the leased items keep in memory. */
  get size(): number {
    return this.#size
  }

  ids(): string[] {
    return [...this.#items.keys()]
  }

  /** The leased items, and those that may be leased. */
  *all(): Generator<Item> {
    yield* this.#items.values()
    for (const item of this.#reclaimed.values()) if (!this.#items.has(item.id)) yield item
  }

  /** Adds claimed items; gives those that were not leased before. */
  take(items: readonly Item[]): Item[] {
    // V8 grows a map by a new table, and the old table keeps everything alive that it ever held. A copy avoids that.
    const held = new Map(this.#items)
    const taken: Item[] = []
    for (const item of items) {
      if (this.#items.has(item.id)) this.#reclaimed.set(item.id, item)
      else taken.push(item)
    }
    for (const item of taken) {
      held.set(item.id, item)
      this.#size += item.size ?? 0
    }
    this.#items = held
    return taken
  }

  /** Removes an item; gives the same item if it was claimed again meanwhile, which may be leased. */
  end(id: string): Item | undefined {
    this.#size -= this.#items.get(id)?.size ?? 0
    this.#items.delete(id)
    return this.#reclaimed.get(id)
  }

  /** Forgets repeated claims once the ledger has said whether they hold. */
  settle(ids: readonly string[]): void {
    for (const id of ids) this.#reclaimed.delete(id)
  }
}
