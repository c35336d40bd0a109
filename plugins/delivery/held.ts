// All that a worker has claimed and not written down.

import type { Claimed } from './ledger.ts'

export class Held<Item extends Claimed> {
  #items = new Map<string, Item>()
  #size = 0
  /**
   * What was claimed while it was held, by id. Claims and outcomes overtake each other, so only the ledger knows what came first:
   * the claim, since the lease had run out, which the outcome then has ended, or the outcome, after which it was due at once.
   */
  readonly #claimedAgain = new Map<string, Item>()

  get count(): number {
    return this.#items.size
  }

  /** Characters that all of it keeps in memory. */
  get size(): number {
    return this.#size
  }

  ids(): string[] {
    return [...this.#items.keys()]
  }

  /** What is held, and what may be. */
  *all(): Generator<Item> {
    yield* this.#items.values()
    for (const item of this.#claimedAgain.values()) if (!this.#items.has(item.id)) yield item
  }

  /** Holds what was claimed; gives that of it which was not held. */
  take(items: readonly Item[]): Item[] {
    // A table that V8 makes for want of room is referred to by the one before it, and so keeps alive all that was ever held with it.
    const held = new Map(this.#items)
    const taken: Item[] = []
    for (const item of items) {
      if (this.#items.has(item.id)) this.#claimedAgain.set(item.id, item)
      else taken.push(item)
    }
    for (const item of taken) {
      held.set(item.id, item)
      this.#size += item.size ?? 0
    }
    this.#items = held
    return taken
  }

  /** Holds it no longer; what was claimed again meanwhile, and may be held. */
  end(id: string): Item | undefined {
    this.#size -= this.#items.get(id)?.size ?? 0
    this.#items.delete(id)
    return this.#claimedAgain.get(id)
  }

  /** Notes that it is known whether these are held which were claimed again. */
  settle(ids: readonly string[]): void {
    for (const id of ids) this.#claimedAgain.delete(id)
  }
}
