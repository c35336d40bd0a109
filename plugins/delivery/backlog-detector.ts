// Whether a worker keeps up: one that claims full batches again and again has a backlog.

/** Full batches in a row that mean a backlog, as in servers of v1.3. */
const fullBatches = 3

export class BacklogDetector {
  readonly #batch: number
  readonly #report: (isBacklogged: boolean) => void
  #inARow = 0
  #isBacklogged = false

  constructor(batch: number, report: (isBacklogged: boolean) => void) {
    this.#batch = batch
    this.#report = report
  }

  /** Counts a claim of `count` items with this limit. */
  claimed(count: number, limit: number): void {
    this.#inARow = count < limit ? 0 : this.#inARow + count
    if (this.#isBacklogged ? this.#inARow > 0 : this.#inARow <= fullBatches * this.#batch) return
    this.#isBacklogged = !this.#isBacklogged
    this.#report(this.#isBacklogged)
  }
}
