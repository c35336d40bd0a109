// Splits long work into time slices, so that requests run in between.

import { setImmediate as yieldTurn } from 'node:timers/promises'
import { sliceMillis, stepsPerClockCheck } from '../../tuning.ts'

export class Slices {
  readonly #isWanted: () => boolean
  #step = 0
  #end = performance.now() + sliceMillis

  /** `isWanted`: whether the work is still needed. */
  constructor(isWanted: () => boolean) {
    this.#isWanted = isWanted
  }

  /** Whether the slice is over; to be read after each step. */
  get isOver(): boolean {
    return ++this.#step % stepsPerClockCheck === 0 && performance.now() > this.#end
  }

  /** Lets other work run; gives whether to continue. */
  async next(): Promise<boolean> {
    await yieldTurn()
    this.#end = performance.now() + sliceMillis
    return this.#isWanted()
  }
}
