// Random choices, all from fast-check's generator, so that a seed repeats them.

import type { Random } from 'fast-check'

export class Draw {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** An integer between two bounds, both included. */
  integer(min: number, max: number): number {
    return this.#random.nextInt(min, max)
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.integer(1, 1000) <= probability * 1000
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('there is nothing to pick from')
    return list[this.integer(0, list.length - 1)]!
  }

  /** One of several makers, chosen by weight. */
  either<T>(...choices: readonly (readonly [weight: number, make: () => T])[]): T {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0)
    let left = this.integer(1, total)
    for (const [weight, make] of choices) {
      left -= weight
      if (left <= 0) return make()
    }
    throw new Error('there is nothing to choose from')
  }

  times<T>(min: number, max: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.integer(min, max) }, (_, i) => make(i))
  }

  /** Each member with the given probability, in order. */
  some<T>(list: readonly T[], probability = 0.5): T[] {
    return list.filter(() => this.chance(probability))
  }

  /** At most `max` different members, in random order. */
  few<T>(list: readonly T[], max: number): T[] {
    return this.shuffled(list).slice(0, this.integer(1, max))
  }

  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list]
    return Array.from({ length: rest.length }, () => rest.splice(this.integer(0, rest.length - 1), 1)[0]!)
  }
}
