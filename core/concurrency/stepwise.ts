// Computations that may be long, in steps: requests that arrive meanwhile get their turn in between.

import { setImmediate as nextTurn } from 'node:timers/promises'

/** A computation that stops now and then; what it works on must not change until it is done. */
export type Steps<T> = Generator<void, T>

/** Milliseconds of work after which others get their turn. */
const turn = 2

/** Runs a computation to its end, giving way to others after each turn. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let began = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < turn) continue
    await nextTurn()
    began = performance.now()
  }
}

/** Gives others their turn between parts of work that is done one by one. */
export class TurnTaker {
  #began = performance.now()

  /** Resolves when others had their turn, if it was time for that; to be awaited where it is a promise. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#began < turn ? undefined : this.#give()
  }

  async #give(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}

/** Runs a computation that is known to be short, all at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Maps a list in steps, one for each item. */
export function* mapSteps<T, U>(items: readonly T[], map: (item: T, index: number) => U): Steps<U[]> {
  const mapped: U[] = []
  for (const [i, item] of items.entries()) {
    mapped.push(map(item, i))
    yield
  }
  return mapped
}
