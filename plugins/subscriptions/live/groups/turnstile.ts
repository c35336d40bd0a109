// Lets few be at work at once; the others wait in the order in which they came. Who is at work for long steps aside, as far as there
// is room: what waits for a lock, of a table that is being altered, costs nothing and would hold up those that read other tables.

export interface TurnstileOptions {
  readonly places: number
  /** Places for those that have stepped aside. */
  readonly aside: number
  /** Milliseconds after which one does. */
  readonly patienceMillis: number
}

export class Turnstile {
  readonly #options: TurnstileOptions
  #taken = 0
  #aside = 0
  readonly #waiting: (() => void)[] = []
  /** What has those step aside for whom there was no room when they should have. */
  readonly #late = new Set<() => void>()

  constructor(options: TurnstileOptions) {
    this.#options = options
  }

  async pass(work: () => Promise<void>): Promise<void> {
    const { places, aside, patienceMillis } = this.#options
    if (this.#taken >= places) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#taken++
    let isAside = false
    const stepAside = () => {
      isAside = true
      this.#aside++
      this.#late.delete(stepAside)
      this.#vacate()
    }
    const timer = setTimeout(() => {
      if (this.#aside < aside) stepAside()
      else this.#late.add(stepAside)
    }, patienceMillis).unref()
    try {
      await work()
    } finally {
      clearTimeout(timer)
      this.#late.delete(stepAside)
      if (isAside) this.#vacateAside()
      else this.#vacate()
    }
  }

  /** The place goes to who waits longest. */
  #vacate(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
  }

  #vacateAside(): void {
    this.#aside--
    const [stepAside] = this.#late
    stepAside?.()
  }
}
