// Places of which each caller has a share that is smaller than the whole. The share follows from the places that are free:
// with some callers each gets less, and the next one still finds a free place. A caller that exceeds its share waits in a
// line of its own.
//
// A caller is counted four times: by its connection, by its session at its network, by its session and by its network. The
// last two may stand for many people (an anonymous role, a proxy, the users of one office), so their shares leave only a
// tenth free. A connection has less than its session at one network: a role without variables is one session for all its users.

import { onAbort } from './aborting.ts'

/** By what a caller is known. The texts may cost something, and are asked for only when places run short. */
export interface Caller {
  readonly connection: object
  /** The role and the session variables. */
  readonly session: string
  readonly network: string
}

export interface SharesOptions {
  /** Places in all. */
  readonly places: number
  /** The largest part that a session at one network may have, in percent; 100: nothing is limited. */
  readonly percent: number
  /** Places that are taken, those of work without a caller among them; absent: those of callers. */
  readonly taken?: () => number
  /** How long a caller waits for itself, and the error then; absent: without end. */
  readonly patience?: { readonly millis: number; readonly error: () => Error }
}

/** The largest parts, in percent: of a connection beside that of a session at one network, and of what may stand for many. */
const [ofConnection, ofMany] = [2 / 3, 90]

/** What is counted by one key. */
interface Holder {
  readonly key: unknown
  /** How many places it may have for each free one. */
  readonly perFree: number
  held: number
  /** Those that hold a place or wait for one. */
  seats: number
  readonly line: Set<Taking>
}

/** A place, until it is left, once. */
export interface Seat {
  leave(): void
}

/** A place, or the wait for one. */
class Taking implements Seat {
  readonly caller: Caller
  readonly #leave: (taking: Taking) => void
  /** Null while there is plenty: whose it is counts only when places run short. */
  holders: readonly Holder[] | null = null
  /** So many of its holders count it; it is had when all do. */
  counted = 0
  isTaken = false
  /** Called when it is had after a wait. */
  admit: (() => void) | null = null

  constructor(caller: Caller, leave: (taking: Taking) => void) {
    this.caller = caller
    this.#leave = leave
  }

  leave(): void {
    this.#leave(this)
  }
}

/** Of `percent` of all places: how many are had for each one that is left free. */
const perFree = (percent: number): number => (percent >= 100 ? Number.POSITIVE_INFINITY : percent / (100 - percent))

export class Shares {
  readonly #options: SharesOptions
  readonly #holders = new Map<unknown, Holder>()
  /** Holders with a line. */
  readonly #blocked = new Set<Holder>()
  /** Places that were taken while there were plenty. */
  readonly #uncounted = new Set<Taking>()
  readonly #perFree: { readonly connection: number; readonly caller: number; readonly many: number }
  /** While no more are taken, no rule refuses any caller. */
  readonly #plenty: number
  readonly #leave = (seat: Taking): void => {
    this.#taken--
    this.#uncounted.delete(seat)
    this.#release(seat)
  }
  #taken = 0
  #waiting = 0

  constructor(options: SharesOptions) {
    const { places, percent } = options
    this.#options = options
    const connection = perFree(percent >= 100 ? 100 : percent * ofConnection)
    const many = perFree(percent >= 100 ? 100 : Math.max(percent, ofMany))
    this.#perFree = { connection, caller: perFree(percent), many }
    this.#plenty = percent >= 100 ? Number.POSITIVE_INFINITY : (connection * (places - 1) - 1) / (connection + 1)
  }

  /** How many keys are counted. */
  get counted(): number {
    return this.#holders.size
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Does the work in a place of the caller; without a caller at once. */
  async run<T>(caller: Caller | null, signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    if (!caller || this.#plenty === Number.POSITIVE_INFINITY) return work()
    const entering = this.enter(caller, signal)
    const seat = entering instanceof Promise ? await entering : entering
    try {
      return await work()
    } finally {
      seat.leave()
    }
  }

  /** Takes a place, at once when the caller has a share left; it has to be left. */
  enter(caller: Caller, signal: AbortSignal | null = null): Seat | Promise<Seat> {
    signal?.throwIfAborted()
    const seat = new Taking(caller, this.#leave)
    if (this.#used <= this.#plenty) {
      this.#taken++
      this.#uncounted.add(seat)
      return seat
    }
    this.#countAll()
    seat.holders = this.#holdersOf(caller)
    this.#advance(seat)
    return seat.isTaken ? seat : this.#wait(seat, signal)
  }

  /** Whether a place would be had at once. */
  hasRoom(caller: Caller): boolean {
    if (this.#used <= this.#plenty) return true
    this.#countAll()
    return this.#keysOf(caller).every(([key, perFree]) => {
      const holder = this.#holders.get(key)
      return !holder || (holder.line.size === 0 && this.#fits(holder.held, perFree))
    })
  }

  get #used(): number {
    return Math.max(this.#taken, this.#options.taken?.() ?? 0)
  }

  /** A caller that has nothing always gets something; else one place more is left free than its share needs. */
  #fits(held: number, perFree: number): boolean {
    return held === 0 || held + 1 <= perFree * (this.#options.places - this.#used - 1)
  }

  #countAll(): void {
    for (const seat of this.#uncounted) {
      seat.holders = this.#holdersOf(seat.caller)
      for (const holder of seat.holders) holder.held++
      seat.counted = seat.holders.length
    }
    this.#uncounted.clear()
  }

  #keysOf({ connection, session, network }: Caller): readonly (readonly [unknown, number])[] {
    const { connection: ofConnection, caller, many } = this.#perFree
    return [
      [connection, ofConnection],
      [`at ${network} ${session}`, caller],
      [`session ${session}`, many],
      [`network ${network}`, many],
    ]
  }

  #holdersOf(caller: Caller): readonly Holder[] {
    return this.#keysOf(caller).map(([key, perFree]) => {
      let holder = this.#holders.get(key)
      if (!holder) {
        holder = { key, perFree, held: 0, seats: 0, line: new Set() }
        this.#holders.set(key, holder)
      }
      holder.seats++
      return holder
    })
  }

  /** Has one holder after the other count the seat; one that has no share left makes it wait in its line. */
  #advance(seat: Taking): void {
    const holders = seat.holders!
    for (; seat.counted < holders.length; seat.counted++) {
      const holder = holders[seat.counted]!
      if (holder.line.size > 0 || !this.#fits(holder.held, holder.perFree)) {
        holder.line.add(seat)
        this.#blocked.add(holder)
        return
      }
      holder.held++
    }
    this.#taken++
    seat.isTaken = true
    seat.admit?.()
  }

  #wait(seat: Taking, signal: AbortSignal | null): Promise<Seat> {
    const { patience } = this.#options
    this.#waiting++
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiting--
        if (late) clearTimeout(late)
        stop?.()
      }
      const fail = (error: unknown) => {
        settle()
        const holder = seat.holders![seat.counted]!
        holder.line.delete(seat)
        if (holder.line.size === 0) this.#blocked.delete(holder)
        this.#release(seat)
        reject(error)
      }
      seat.admit = () => {
        settle()
        resolve(seat)
      }
      const late = patience ? setTimeout(() => fail(patience.error()), patience.millis).unref() : null
      const stop = signal && onAbort(signal, () => fail(signal.reason))
    })
  }

  /** Has its holders count the seat no more, and lets in who waited for that. */
  #release(seat: Taking): void {
    const holders = seat.holders ?? []
    for (const holder of holders.slice(0, seat.counted)) holder.held--
    if (this.#blocked.size > 0) {
      for (const holder of holders.toReversed()) this.#letIn(holder)
      for (const holder of [...this.#blocked]) {
        // Others wait for free places.
        if (this.#options.places - this.#used <= 1) break
        this.#letIn(holder)
      }
    }
    for (const holder of holders) if (--holder.seats === 0) this.#holders.delete(holder.key)
  }

  #letIn(holder: Holder): void {
    for (const seat of holder.line) {
      if (!this.#fits(holder.held, holder.perFree)) break
      holder.line.delete(seat)
      holder.held++
      seat.counted++
      this.#advance(seat)
    }
    if (holder.line.size === 0) this.#blocked.delete(holder)
  }
}
