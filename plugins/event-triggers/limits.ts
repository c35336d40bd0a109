// How many deliveries of one event trigger an instance has under way at once, for triggers that say how many there may be.

import type { ResolvedTrigger } from './metadata.ts'

/** Triggers with a limit, and how many more of their events may be claimed. */
export interface Rooms {
  readonly names: readonly string[]
  readonly rooms: readonly number[]
}

interface Claimed {
  readonly id: string
  readonly trigger_name: string
}

export class TriggerLimits {
  readonly #triggers: () => ReadonlyMap<string, ResolvedTrigger>
  /** Of triggers that say nothing; 0: none. */
  readonly #standard: number
  /** The triggers of what is under way, by its ids, and how much that is for each of them. */
  readonly #held = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(triggers: () => ReadonlyMap<string, ResolvedTrigger>, standard: number) {
    this.#triggers = triggers
    this.#standard = standard
  }

  rooms(): Rooms {
    const names: string[] = []
    const rooms: number[] = []
    for (const { name, entry } of this.#triggers().values()) {
      const limit = entry.concurrency ?? this.#standard
      if (limit === 0) continue
      names.push(name)
      rooms.push(Math.max(0, limit - (this.#counts.get(name) ?? 0)))
    }
    return { names, rooms }
  }

  claimed(events: readonly Claimed[]): void {
    for (const { id, trigger_name: name } of events) {
      if (this.#held.has(id)) continue
      this.#held.set(id, name)
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    }
  }

  ended(ids: readonly string[]): void {
    for (const id of ids) {
      const name = this.#held.get(id)
      if (name === undefined) continue
      this.#held.delete(id)
      const left = (this.#counts.get(name) ?? 1) - 1
      if (left === 0) this.#counts.delete(name)
      else this.#counts.set(name, left)
    }
  }
}
