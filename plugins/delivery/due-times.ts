// When what was put off is due again, as far as this instance knows: so it need not ask the database.

/** Milliseconds that are not told apart: what is due shortly after each other is looked for once. */
const grain = 50

/** Milliseconds after which something is not remembered: whoever looks now and then finds it. */
const horizon = 3_600_000

export class DueTimes {
  readonly #times = new Set<number>()
  #first = Number.POSITIVE_INFINITY

  /** Notes that something is due at a time. */
  add(at: number, now: number): void {
    if (at - now > horizon) return
    const time = Math.ceil(at / grain) * grain
    this.#times.add(time)
    this.#first = Math.min(this.#first, time)
  }

  /** Milliseconds until the first of what is not looked for; infinite: nothing is known of. What was due at `looked` is forgotten. */
  wait(looked: number, now: number): number {
    if (this.#first <= looked) {
      for (const time of this.#times) if (time <= looked) this.#times.delete(time)
      this.#first = Math.min(Number.POSITIVE_INFINITY, ...this.#times)
    }
    return Math.max(0, this.#first - now)
  }
}
