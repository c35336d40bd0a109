// Lets few be at work at once; the others wait in the order in which they came, each caller no longer than its own share keeps it.
// A statement that is at work for long steps aside, as far as there is room: one that waits for a lock, of a table that is being
// altered, costs nothing and would hold up those that read other tables.

import { type Caller, type Seat, Shares } from '../../../../sdk/services.ts'

export interface TurnstileOptions {
  readonly places: number
  /** Places for those that have stepped aside. */
  readonly aside: number
  /** Milliseconds after which one does. */
  readonly patienceMillis: number
  /** The largest part of either, in percent, that one session at one address has. */
  readonly percent: number
}

/** Work for which a caller is chosen, in its place. */
interface Passage {
  readonly caller: Caller
  /** Null after it has stepped aside. */
  seat: Seat | null
  aside: Seat | null
}

export class Turnstile {
  readonly #options: TurnstileOptions
  readonly #shares: Shares
  readonly #aside: Shares
  #taken = 0
  #takenAside = 0
  readonly #waiting: (() => void)[] = []
  /** Those for whom there was no room when they should have stepped aside. */
  readonly #late = new Set<Passage>()

  constructor(options: TurnstileOptions) {
    const { places, aside, percent } = options
    this.#options = options
    this.#shares = new Shares({ places, percent })
    this.#aside = new Shares({ places: aside, percent })
  }

  /** Does the work in the place of one of its callers: of the first that has a share left, or else of the first. */
  async pass(callers: Iterable<Caller>, work: () => Promise<void>): Promise<void> {
    const caller = this.#chosen(callers)
    if (!caller) return
    const entering = this.#shares.enter(caller)
    const passage: Passage = { caller, seat: entering instanceof Promise ? await entering : entering, aside: null }
    if (this.#taken >= this.#options.places) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#taken++
    const timer = setTimeout(() => {
      if (!this.#stepAside(passage)) this.#late.add(passage)
    }, this.#options.patienceMillis).unref()
    try {
      await work()
    } finally {
      clearTimeout(timer)
      this.#late.delete(passage)
      if (passage.seat) this.#vacate(passage.seat)
      if (passage.aside) this.#vacateAside(passage.aside)
    }
  }

  #chosen(callers: Iterable<Caller>): Caller | null {
    let first: Caller | null = null
    for (const caller of callers) {
      if (this.#shares.hasRoom(caller)) return caller
      first ??= caller
    }
    return first
  }

  /** Says whether there was room. */
  #stepAside(passage: Passage): boolean {
    const { caller, seat } = passage
    if (this.#takenAside >= this.#options.aside || !this.#aside.hasRoom(caller)) return false
    const entered = this.#aside.enter(caller)
    if (entered instanceof Promise) throw new Error('there was room')
    passage.aside = entered
    passage.seat = null
    this.#takenAside++
    if (seat) this.#vacate(seat)
    return true
  }

  /** The place goes to who waits longest. */
  #vacate(seat: Seat): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
    seat.leave()
  }

  #vacateAside(seat: Seat): void {
    this.#takenAside--
    seat.leave()
    for (const late of this.#late) {
      if (!this.#stepAside(late)) continue
      this.#late.delete(late)
      return
    }
  }
}
