// The times from which claims read the index of due events. Before them, all events are claimed or finished, or their triggers have
// no room. Claims would otherwise read the backlog of such triggers again and again. They would also read the index
// entries of finished events, which stay while any transaction keeps an old snapshot open.
//
// An event may become due before its bound: its transaction committed long after its begin, or a lease expired. So reads from the
// start remain. While they are cheap, a claim is one; once they are costly, a separate statement looks for such events.

import { besideLookMillis, boundMarginMillis, costlyReadMillis, readShare } from './tuning.ts'

/** Where a claim begins. All times here are milliseconds by `performance.now()`. */
export interface ClaimStart {
  /** The triggers without room. */
  readonly full: ReadonlySet<string>
  /** Null: at the first due event. */
  readonly from: number | null
  readonly began: number
}

/** The first event of a trigger before the bounds: seconds since it was due. */
export type Overlooked = { readonly name: string; readonly late: number }

/** How far a claim has read, in seconds that the last event was due for. */
export interface ClaimEnd {
  /** For all triggers with room. */
  readonly late: number
  /** The same for triggers that have more due events than the claim took; less far. */
  readonly lateOf: ReadonlyMap<string, number>
}

export class ClaimBounds {
  /** The bound of all triggers without an earlier one of their own. */
  #common = Number.NEGATIVE_INFINITY
  readonly #own = new Map<string, number>()
  /** Milliseconds that the last read from the start took. */
  #cost = 0
  /** Milliseconds that the last claim from a bound took; infinite before the first. */
  #boundCost = Number.POSITIVE_INFINITY
  /** Whether the last claim was a read from the start. */
  #isWhole = false
  /** Whether a read from the start has prepared its statement. */
  #isPrepared = false
  /** When the next read from the start may begin. */
  #next = Number.NEGATIVE_INFINITY
  #isLooking = false

  /** Begins a claim that skips these triggers. */
  begin(full: ReadonlySet<string>): ClaimStart {
    const began = performance.now()
    const own = [...this.#own].flatMap(([name, at]) => (full.has(name) ? [] : [at]))
    const bound = Math.min(this.#common, ...own)
    const isWhole = bound === Number.NEGATIVE_INFINITY || (!this.isCostly && began >= this.#next)
    return { full, from: isWhole ? null : bound, began }
  }

  /** The begin of a claim in seconds before now; null: at the first due event. */
  since({ from, began }: ClaimStart): number | null {
    return from === null ? null : (began - from + boundMarginMillis) / 1000
  }

  /** Moves the bounds to the end of a claim. */
  end({ full, from, began }: ClaimStart, { late, lateOf }: ClaimEnd): void {
    const now = performance.now()
    this.#isWhole = from === null
    if (from === null) this.#noteWhole(began, now)
    // The claim may have waited for a connection, and its begin moved by that time.
    else if (now - began > boundMarginMillis / 2) return
    else this.#boundCost = now - began
    for (const name of full) if (!this.#own.has(name)) this.#own.set(name, this.#common)
    const at = began - late * 1000
    this.#common = Math.max(this.#common, at)
    for (const [name, own] of this.#own) {
      if (full.has(name)) continue
      if (Math.max(own, at) < this.#common) this.#own.set(name, Math.max(own, at))
      else this.#own.delete(name)
    }
    for (const [name, own] of lateOf) this.#lower(name, began - own * 1000)
  }

  /** Whether reads from the start are left to the look for overlooked events. */
  get isCostly(): boolean {
    return this.#cost - this.#boundCost > costlyReadMillis
  }

  /** Milliseconds until the next claim, at most: a claim or a look finds an event that was due before the bounds. */
  pause(): number {
    if (this.isCostly) return Math.max(besideLookMillis, this.#wait)
    return this.#isWhole ? Number.POSITIVE_INFINITY : Math.max(1, this.#wait)
  }

  /** Makes the next read from the start due: events before the bounds may be due again. */
  expire(): void {
    this.#next = Number.NEGATIVE_INFINITY
  }

  /** The seconds before now at which a look ends. */
  get lookEnd(): number {
    return this.#common === Number.NEGATIVE_INFINITY ? 0 : (performance.now() - this.#common) / 1000
  }

  /** Begins a look for events before the bounds when it is due; it runs beside the claims, because it may read a lot. */
  lookWhenDue(look: (began: number) => Promise<void>): void {
    if (this.isCostly && this.#wait === 0 && !this.#isLooking) void this.#look(look)
  }

  /** Notes the result of a look. */
  looked(began: number, found: readonly Overlooked[]): void {
    this.#noteRead(began, performance.now())
    for (const { name, late } of found) this.#lower(name, began - late * 1000)
  }

  async #look(look: (began: number) => Promise<void>): Promise<void> {
    this.#isLooking = true
    try {
      await look(performance.now())
    } catch {
      // Claims fail as well then and report the error; the next claim looks again.
    } finally {
      this.#isLooking = false
    }
  }

  /** Milliseconds until the next read from the start; 0: it is due. */
  get #wait(): number {
    return Math.max(0, this.#next - performance.now())
  }

  /** Notes a claim from the start, except for the first one: it takes longer, since it prepares the statement. */
  #noteWhole(began: number, now: number): void {
    if (this.#isPrepared) this.#noteRead(began, now)
    this.#isPrepared = true
  }

  #noteRead(began: number, now: number): void {
    this.#cost = now - began
    this.#next = now + readShare * this.#cost
  }

  #lower(name: string, at: number): void {
    const known = this.#own.get(name) ?? this.#common
    if (at < known) this.#own.set(name, at)
  }
}
