// Up to where in time all that is due belongs to triggers without room, or is claimed: a long backlog of theirs is not read
// again by each claim for the others. What may have come in behind that is looked for now and then.

/** Milliseconds before what was read that are read again: so long a transaction may take from its beginning to its commit. */
const marginMillis = 1000

/** A mark holds for so many milliseconds, or for so many times what it took to read up to it. */
const [shortestMillis, timesRead] = [1000, 20]

interface Mark {
  readonly full: ReadonlySet<string>
  /** The moment, on the clock of `performance.now()` as the rest. */
  readonly at: number
  readonly until: number
}

/** A claim that goes on from a mark, or begins with what is due first. */
export interface ClaimStart {
  readonly full: ReadonlySet<string>
  readonly from: Mark | null
  readonly began: number
}

const isPartOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((name) => other.has(name))

export class PassedOver {
  #marks: Mark[] = []

  /** Begins a claim that passes over the triggers of these names. */
  begin(names: Iterable<string>): ClaimStart {
    const began = performance.now()
    const full = new Set(names)
    this.#marks = this.#marks.filter(({ until }) => until > began)
    const usable = this.#marks.filter((mark) => isPartOf(mark.full, full))
    const from = usable.reduce<Mark | null>((best, mark) => (best && best.at >= mark.at ? best : mark), null)
    return { full, from, began }
  }

  /** Seconds before now at which a claim begins to look; null: at the beginning. */
  since({ from, began }: ClaimStart): number | null {
    return from && (began - from.at + marginMillis) / 1000
  }

  /** Takes in up to where a claim has read: what has been due for more than `late` seconds. */
  end({ full, from, began }: ClaimStart, late: number): void {
    if (full.size === 0) return
    const at = Math.max(began - late * 1000, from?.at ?? Number.NEGATIVE_INFINITY)
    const until = from?.until ?? performance.now() + Math.max(shortestMillis, timesRead * (performance.now() - began))
    this.#marks = this.#marks.filter((mark) => !isPartOf(full, mark.full) || !isPartOf(mark.full, full))
    this.#marks.push({ full, at, until })
  }
}
