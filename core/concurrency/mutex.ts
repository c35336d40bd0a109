// Runs one piece of work at a time, in order of arrival.

export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the work after all earlier work has ended or failed; `since` is the `performance.now()` of this call. */
  run<T>(work: (since: number) => Promise<T>): Promise<T> {
    const since = performance.now()
    const result = this.#last.then(() => work(since))
    this.#last = result.catch(() => {})
    return result
  }
}
