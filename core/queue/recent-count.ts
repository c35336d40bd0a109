// A count over the last moments.

/** Counts in fixed windows; all times are milliseconds by `performance.now()`. */
export class RecentCount {
  readonly #windowMillis: number
  #window = Number.NEGATIVE_INFINITY
  #inWindow = 0
  #inLastWindow = 0

  constructor(windowMillis: number) {
    this.#windowMillis = windowMillis
  }

  add(count: number, now: number): void {
    this.#turn(now)
    this.#inWindow += count
  }

  /** The larger count of this window and the one before it. */
  most(now: number): number {
    this.#turn(now)
    return Math.max(this.#inWindow, this.#inLastWindow)
  }

  #turn(now: number): void {
    const window = Math.floor(now / this.#windowMillis)
    if (window === this.#window) return
    this.#inLastWindow = window === this.#window + 1 ? this.#inWindow : 0
    this.#inWindow = 0
    this.#window = window
  }
}
