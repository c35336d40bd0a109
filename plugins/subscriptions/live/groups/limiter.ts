// Limits how many statements run at once; the others queue. Each caller has a share, so that one caller cannot take all places.
// A long statement moves to a separate set of places, if one is free. A statement that waits for the lock of a table costs nothing,
// and would otherwise block statements on other tables.

import { type Caller, type Seat, Shares } from '../../../../sdk/services.ts'
import { longStatementMillis, statementsAtOnce } from '../../tuning.ts'

export interface LimiterOptions {
  readonly places: number
  /** Places for long statements. */
  readonly longPlaces: number
  /** Milliseconds after which a statement counts as long. */
  readonly longMillis: number
  /** The largest share of a caller (one session at one address), in percent of either set. */
  readonly percent: number
}

/**
 * The limits for so many connections of the server, and shares of so many percent. Long statements may run beside the others:
 * together they leave two thirds of the connections to requests.
 */
export const limitsFor = (connections: number, percent: number): LimiterOptions => ({
  places: statementsAtOnce,
  longPlaces: Math.max(0, Math.floor(connections / 3) - statementsAtOnce),
  longMillis: longStatementMillis,
  percent,
})

/** Running work and the caller whose share it uses. */
interface Running {
  readonly caller: Caller
  /** Null after it moved to the places for long statements. */
  seat: Seat | null
  overflow: Seat | null
}

export class Limiter {
  readonly #options: LimiterOptions
  readonly #shares: Shares
  readonly #longPlaces: Shares
  #taken = 0
  #takenLong = 0
  readonly #waiting: (() => void)[] = []
  /** Long work for which no long place was free. */
  readonly #overdue = new Set<Running>()

  constructor(options: LimiterOptions) {
    const { places, longPlaces, percent } = options
    this.#options = options
    this.#shares = new Shares({ places, percent })
    this.#longPlaces = new Shares({ places: longPlaces, percent })
  }

  /** Runs work in the share of one of its callers: the first with room, or else the first. */
  async run(callers: Iterable<Caller>, work: () => Promise<void>): Promise<void> {
    const caller = this.#chosen(callers)
    if (!caller) return
    const entering = this.#shares.enter(caller)
    const running: Running = { caller, seat: entering instanceof Promise ? await entering : entering, overflow: null }
    if (this.#taken >= this.#options.places) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#taken++
    const timer = setTimeout(() => {
      if (!this.#moveToLong(running)) this.#overdue.add(running)
    }, this.#options.longMillis).unref()
    try {
      await work()
    } finally {
      clearTimeout(timer)
      this.#overdue.delete(running)
      if (running.seat) this.#vacate(running.seat)
      if (running.overflow) this.#vacateLong(running.overflow)
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

  /** Moves work to a long place; gives whether one was free. */
  #moveToLong(running: Running): boolean {
    const { caller, seat } = running
    if (this.#takenLong >= this.#options.longPlaces || !this.#longPlaces.hasRoom(caller)) return false
    const entered = this.#longPlaces.enter(caller)
    if (entered instanceof Promise) throw new Error('there was room')
    running.overflow = entered
    running.seat = null
    this.#takenLong++
    if (seat) this.#vacate(seat)
    return true
  }

  /** Gives the place to the work that has waited longest. */
  #vacate(seat: Seat): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken--
    seat.leave()
  }

  #vacateLong(seat: Seat): void {
    this.#takenLong--
    seat.leave()
    for (const overdue of this.#overdue) {
      if (!this.#moveToLong(overdue)) continue
      this.#overdue.delete(overdue)
      return
    }
  }
}
