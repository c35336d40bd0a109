// A limiter that gives each caller a share of the places, which is smaller than the whole. The share depends on the
// free places. With several callers each one gets less, and the next one still finds a free place. A caller that
// exceeds its share waits in its own queue.
//
// A caller counts under four keys: its connection, its session at its network, its session, and its network. The last
// two may stand for many people (an anonymous role, a proxy, an office), so their shares leave only a tenth free. A
// connection gets less than its session at one network, because a role without variables is one session for all its
// users.

import { onAbort } from './aborting.ts'

/** Identifies a caller. Computing the texts may be expensive, so they are read only when places run short. */
export interface Caller {
  readonly connection: object
  /** The role and the session variables. */
  readonly session: string
  readonly network: string
}

export interface SharesOptions {
  /** The number of places. */
  readonly places: number
  /** The largest share of a session at one network, in percent; 100: no limit. */
  readonly percent: number
  /** The number of taken places, including work without a caller; absent: the places taken by callers. */
  readonly taken?: () => number
  /** The longest wait of a caller that exceeds its share, and the error after it; absent: no limit. */
  readonly timeout?: { readonly millis: number; readonly error: () => Error }
}

/**
 * The share of a connection, relative to that of its session at one network; the percentage for sessions and for
 * networks.
 */
const [ofConnection, ofMany] = [2 / 3, 90]

/** The places that are counted under one key. */
interface Holder {
  readonly key: unknown
  /** The number of places that it may hold for each free one. */
  readonly perFree: number
  held: number
  /** The number of places that it holds or waits for. */
  seats: number
  readonly queue: Set<Taking>
}

/** A taken place; `leave` frees it, and must be called once. */
export interface Seat {
  leave(): void
}

/** A taken place, or a caller that waits for one. */
class Taking implements Seat {
  readonly caller: Caller
  readonly #leave: (taking: Taking) => void
  /** Null until places run short: before that they are not counted by key. */
  holders: readonly Holder[] | null = null
  /** The number of holders that count it; the place is taken when all of them do. */
  counted = 0
  isTaken = false
  /** Called when a waiting caller gets its place. */
  admit: (() => void) | null = null

  constructor(caller: Caller, leave: (taking: Taking) => void) {
    this.caller = caller
    this.#leave = leave
  }

  leave(): void {
    this.#leave(this)
  }
}

/** Converts a percentage of all places into the number of places for each free one. */
const perFree = (percent: number): number => (percent >= 100 ? Number.POSITIVE_INFINITY : percent / (100 - percent))

export class Shares {
  readonly #options: SharesOptions
  readonly #holders = new Map<unknown, Holder>()
  /** Holders with a queue. */
  readonly #blocked = new Set<Holder>()
  /** Places that were taken while enough were free, not counted by key yet. */
  readonly #uncounted = new Set<Taking>()
  readonly #perFree: { readonly connection: number; readonly caller: number; readonly many: number }
  /** Up to this number of taken places no rule refuses any caller. */
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

  /** The number of counted keys. */
  get counted(): number {
    return this.#holders.size
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiting
  }

  /** Runs the work in a place of the caller; without a caller it runs at once. */
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

  /** Takes a place, at once if the caller's share permits; the caller must free it with `leave`. */
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

  /** Whether the caller would get a place at once. */
  hasRoom(caller: Caller): boolean {
    if (this.#used <= this.#plenty) return true
    this.#countAll()
    return this.#keysOf(caller).every(([key, perFree]) => {
      const holder = this.#holders.get(key)
      return !holder || (holder.queue.size === 0 && this.#fits(holder.held, perFree))
    })
  }

  get #used(): number {
    return Math.max(this.#taken, this.#options.taken?.() ?? 0)
  }

  /** A caller without a place always gets one. Otherwise one place more must stay free than its share requires. */
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
        holder = { key, perFree, held: 0, seats: 0, queue: new Set() }
        this.#holders.set(key, holder)
      }
      holder.seats++
      return holder
    })
  }

  /** Counts the place in one holder after the other. A holder whose share is exhausted queues it. */
  #advance(seat: Taking): void {
    const holders = seat.holders!
    for (; seat.counted < holders.length; seat.counted++) {
      const holder = holders[seat.counted]!
      if (holder.queue.size > 0 || !this.#fits(holder.held, holder.perFree)) {
        holder.queue.add(seat)
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
    const { timeout } = this.#options
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
        holder.queue.delete(seat)
        if (holder.queue.size === 0) this.#blocked.delete(holder)
        this.#release(seat)
        reject(error)
      }
      seat.admit = () => {
        settle()
        resolve(seat)
      }
      const late = timeout ? setTimeout(() => fail(timeout.error()), timeout.millis).unref() : null
      const stop = signal && onAbort(signal, () => fail(signal.reason))
    })
  }

  /** Removes the place from its holders, and admits callers that waited for it. */
  #release(seat: Taking): void {
    const holders = seat.holders ?? []
    for (const holder of holders.slice(0, seat.counted)) holder.held--
    if (this.#blocked.size > 0) {
      for (const holder of holders.toReversed()) this.#letIn(holder)
      for (const holder of [...this.#blocked]) {
        // The remaining callers wait for free places.
        if (this.#options.places - this.#used <= 1) break
        this.#letIn(holder)
      }
    }
    for (const holder of holders) if (--holder.seats === 0) this.#holders.delete(holder.key)
  }

  #letIn(holder: Holder): void {
    for (const seat of holder.queue) {
      if (!this.#fits(holder.held, holder.perFree)) break
      holder.queue.delete(seat)
      holder.held++
      seat.counted++
      this.#advance(seat)
    }
    if (holder.queue.size === 0) this.#blocked.delete(holder)
  }
}
