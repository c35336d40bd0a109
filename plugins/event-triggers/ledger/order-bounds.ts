// The numbers from which statements look for open events with an ordering key. Otherwise they would read the index entries of the
// finished events of that key, which stay while any transaction keeps an old snapshot open.
//
// An event may get its number long before it is committed, and no later event of its key may pass it. So a number becomes a bound only
// when every transaction has ended that ran while it was the last one: transaction ids tell, and an old snapshot alone has none.

import type { OpenEvent, OrderLook } from './ledger-statements.ts'

/** The first numbers that open events may have. */
export interface SeqBounds {
  readonly names: readonly string[]
  /** For these triggers. */
  readonly seqs: readonly number[]
  /** For all others. */
  readonly others: number
}

export class OrderBounds {
  #others = 0
  #own = new Map<string, number>()
  /** The last number before a look, and the first transaction id after it. */
  #candidate: { readonly last: number; readonly xmax: number } | null = null
  #last: number | null = null

  get bounds(): SeqBounds {
    return { names: [...this.#own.keys()], seqs: [...this.#own.values()], others: this.#others }
  }

  looked({ last, xmin, xmax, open }: Pick<OrderLook, 'last' | 'xmin' | 'xmax' | 'open'>): void {
    // The numbers started again.
    if (last === null || last < this.#others) this.reset()
    const bound = this.#candidate && xmin >= this.#candidate.xmax ? this.#candidate.last + 1 : null
    if (bound !== null) {
      this.#others = bound
      this.#candidate = null
    }
    const events: OpenEvent[] = open.map((text) => JSON.parse(text))
    this.#own = new Map(events.flatMap(({ name, seq }) => (seq < this.#others ? [[name, seq]] : [])))
    // A transaction that took a number has an id moments later at most, so the number before the last look is sure.
    if (this.#last !== null) this.#candidate ??= { last: this.#last, xmax }
    this.#last = last
  }

  /** Notes a claimed event, which may have been delivered before and be open again. */
  claimed(name: string, seq: number): void {
    if (seq < (this.#own.get(name) ?? this.#others)) this.#own.set(name, seq)
  }

  /** Forgets everything: reads from the start are cheap again. */
  reset(): void {
    this.#others = 0
    this.#own.clear()
    this.#candidate = null
    this.#last = null
  }
}
