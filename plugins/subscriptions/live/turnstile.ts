// Lets few be at work at once; the others wait in the order in which they came.

export class Turnstile {
  readonly #places: number
  #taken = 0
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  async pass(work: () => Promise<void>): Promise<void> {
    if (this.#taken >= this.#places) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#taken++
    try {
      await work()
    } finally {
      // The place goes to who waits longest.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken--
    }
  }
}
