// Work for many in slices, between which requests have their turn.

import { setImmediate as others } from 'node:timers/promises'

/** Milliseconds of a slice. */
const length = 5

/** The clock is looked at after so many steps. */
const steps = 16

export class Slices {
  readonly #isWanted: () => boolean
  #step = 0
  #end = performance.now() + length

  /** `isWanted`: whether the work still is to be done. */
  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted
  }

  /** Whether others are to have their turn; asked after each step. */
  get isOver(): boolean {
    return ++this.#step % steps === 0 && performance.now() > this.#end
  }

  /** Lets the others; says whether there is a next slice. */
  async next(): Promise<boolean> {
    await others()
    this.#end = performance.now() + length
    return this.#isWanted()
  }
}
