// Runs one piece of work at a time, in order of arrival.

const nothing = () => {}

export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs the work after all earlier work has ended or failed; `since` is the `performance.now()` of this call. */
  run<T>(work: (since: number) => Promise<T>): Promise<T> {
    const since = performance.now()
    const result = this.#last.then(() => work(since))
    // Without a value: the last result, which may be large, would live until the next work ends.
    this.#last = result.then(nothing, nothing)
    return result
  }
}
