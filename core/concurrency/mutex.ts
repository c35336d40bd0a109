// One at a time: what waits runs in the order in which it came.

export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the work when all earlier work has ended, well or badly. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
