// The plans that are kept, bounded by what they take together: one document can have many, and long ones.

import type { PreparedOperation } from './prepared.ts'

/** Plans of one operation, by the shape of the variables. */
export type PlansByShape = Map<string, PreparedOperation>

/** Characters of SQL that all plans may have together, and one of them. What belongs to it takes several times as much. */
const maxText = 8_000_000
const maxTextOfOne = 500_000

interface Kept {
  readonly plans: PlansByShape
  readonly shape: string
  readonly prepared: PreparedOperation
}

export class KeptPlans {
  /** In the order in which they were made. */
  #kept = new Set<Kept>()
  #size = 0

  /** Keeps a plan among those of its operation, in the place of older ones when there are too many. */
  add(plans: PlansByShape, shape: string, prepared: PreparedOperation): void {
    const { textSize } = prepared
    if (textSize > maxTextOfOne) return
    plans.set(shape, prepared)
    this.#kept.add({ plans, shape, prepared })
    this.#size += textSize
    for (const oldest of this.#kept) {
      if (this.#size <= maxText) return
      this.#kept.delete(oldest)
      this.#size -= oldest.prepared.textSize
      if (oldest.plans.get(oldest.shape) === oldest.prepared) oldest.plans.delete(oldest.shape)
    }
  }

  /** Forgets all plans: nobody will ask for them again. */
  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }
}
