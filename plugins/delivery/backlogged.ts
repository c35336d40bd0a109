// Whether a worker keeps up: who finds as much as it may claim, again and again, works on a backlog.

/** Whole batches in a row behind which there may be more, as servers of v1.3 count them. */
const fullBatches = 3

export class Backlogged {
  readonly #batch: number
  readonly #tell: (isBacklogged: boolean) => void
  #inARow = 0
  #isTold = false

  constructor(batch: number, tell: (isBacklogged: boolean) => void) {
    this.#batch = batch
    this.#tell = tell
  }

  /** Takes in that so many were claimed of `limit`. */
  claimed(count: number, limit: number): void {
    this.#inARow = count < limit ? 0 : this.#inARow + count
    if (this.#isTold ? this.#inARow > 0 : this.#inARow <= fullBatches * this.#batch) return
    this.#isTold = !this.#isTold
    this.#tell(this.#isTold)
  }
}
