// One at a time: what waits runs in the order in which it came.

export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the work when all earlier work has ended, well or badly; it is told when it began to wait (`performance.now()`). */
  run<T>(work: (since: number) => Promise<T>): Promise<T> {
    const since = performance.now()
    const result = this.#last.then(() => work(since))
    this.#last = result.catch(() => {})
    return result
  }
}
