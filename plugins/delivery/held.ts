// All that a worker has claimed and not written down.

import type { Claimed } from './ledger.ts'

export class Held<Item extends Claimed> {
  #items = new Map<string, Item>()
  #size = 0

  get count(): number {
    return this.#items.size
  }

  /** Characters that all of it keeps in memory. */
  get size(): number {
    return this.#size
  }

  has(id: string): boolean {
    return this.#items.has(id)
  }

  ids(): string[] {
    return [...this.#items.keys()]
  }

  items(): Iterable<Item> {
    return this.#items.values()
  }

  /** Adds what is not held. */
  add(items: readonly Item[]): void {
    // A table that V8 makes for want of room is referred to by the one before it, and so keeps alive all that was ever held with it.
    this.#items = new Map(this.#items)
    for (const item of items) {
      this.#items.set(item.id, item)
      this.#size += item.size ?? 0
    }
  }

  delete(id: string): void {
    this.#size -= this.#items.get(id)?.size ?? 0
    this.#items.delete(id)
  }
}
