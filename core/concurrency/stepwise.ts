// Long computations in steps, so that other requests can run in between.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** A computation that pauses now and then; its input must not change until it is done. */
export type Steps<T> = Generator<void, T>

/** The time in milliseconds after which a computation yields to the event loop. */
const turn = 2

/** The pause in milliseconds between two turns of a computation in the background. */
const backgroundPause = 6

/** Runs a computation to its end, and yields to the event loop after each turn. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let began = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < turn) continue
    await nextTurn()
    began = performance.now()
  }
}

/** Runs a computation that nobody waits for: it pauses after each turn, so that requests have most of the time. */
export async function inBackground(steps: Steps<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const began = performance.now(); performance.now() - began < turn; ) if (steps.next().done) return
    await sleep(backgroundPause, undefined, { ref: false })
  }
}

/** Yields to the event loop between parts of a longer work. */
export class TurnTaker {
  #began = performance.now()

  /** Resolves after a yield if the turn is over; undefined if the work may go on at once. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#began < turn ? undefined : this.#give()
  }

  async #give(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}

/** Runs a short computation without pauses. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Maps a list, with a pause after each item. */
export function* mapSteps<T, U>(items: readonly T[], map: (item: T, index: number) => U): Steps<U[]> {
  const mapped: U[] = []
  for (const [i, item] of items.entries()) {
    mapped.push(map(item, i))
    yield
  }
  return mapped
}
