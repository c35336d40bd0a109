// Marks up to which all due events are claimed or belong to triggers without room, so that claims do not read a long backlog of such
// triggers again. From time to time a claim reads from the start, to find events that were committed late.

import { markMarginMillis, markReadTimes, shortestMarkMillis } from '../tuning.ts'

interface Mark {
  readonly full: ReadonlySet<string>
  /** By `performance.now()`, like all times here. */
  readonly at: number
  readonly until: number
}

/** Where a claim begins: at a mark, or at the first due event. */
export interface ClaimStart {
  readonly full: ReadonlySet<string>
  readonly from: Mark | null
  readonly began: number
}

const isPartOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((name) => other.has(name))

export class ScanMarks {
  #marks: Mark[] = []

  /** Begins a claim that skips the triggers with these names. */
  begin(names: Iterable<string>): ClaimStart {
    const began = performance.now()
    const full = new Set(names)
    this.#marks = this.#marks.filter(({ until }) => until > began)
    const usable = this.#marks.filter((mark) => isPartOf(mark.full, full))
    const from = usable.reduce<Mark | null>((best, mark) => (best && best.at >= mark.at ? best : mark), null)
    return { full, from, began }
  }

  /** The begin of a claim in seconds before now; null: at the first due event. */
  since({ from, began }: ClaimStart): number | null {
    return from && (began - from.at + markMarginMillis) / 1000
  }

  /** Sets a mark: the claim has read all events that were due for more than `late` seconds. */
  end({ full, from, began }: ClaimStart, late: number): void {
    if (full.size === 0) return
    const at = Math.max(began - late * 1000, from?.at ?? Number.NEGATIVE_INFINITY)
    const until =
      from?.until ?? performance.now() + Math.max(shortestMarkMillis, markReadTimes * (performance.now() - began))
    this.#marks = this.#marks.filter((mark) => !isPartOf(full, mark.full) || !isPartOf(mark.full, full))
    this.#marks.push({ full, at, until })
  }
}
