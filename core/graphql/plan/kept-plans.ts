// The plans that are kept, bounded by what they take together: one document can have many, and long ones.

import type { PreparedOperation } from './prepared.ts'

/** A plan and its place. */
export interface KeptPlan {
  readonly plans: PlansByShape
  readonly shape: string
  readonly prepared: PreparedOperation
}

/** Plans of one operation, by the shape of the variables; the oldest come first. */
export type PlansByShape = Map<string, KeptPlan>

/** Characters of SQL that all plans may have together, and one of them. What belongs to it takes several times as much. */
const maxText = 8_000_000
const maxTextOfOne = 500_000

export class KeptPlans {
  /** In the order in which they were made. */
  readonly #kept = new Set<KeptPlan>()
  #size = 0

  /** Keeps a plan, in the place of older ones when there are too many. `atMost`: of those beside it. */
  add(plan: KeptPlan, atMost: number): void {
    const { plans, shape, prepared } = plan
    if (prepared.textSize > maxTextOfOne) return
    const displaced = plans.get(shape) ?? (plans.size >= atMost ? plans.values().next().value : undefined)
    if (displaced) this.#remove(displaced)
    plans.set(shape, plan)
    this.#kept.add(plan)
    this.#size += prepared.textSize
    for (const oldest of this.#kept) {
      if (this.#size <= maxText) return
      this.#remove(oldest)
    }
  }

  /** Forgets the plans of one variant. */
  removeAll(plans: PlansByShape): void {
    for (const plan of plans.values()) this.#remove(plan)
  }

  /** Forgets all plans: nobody will ask for them again. */
  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  #remove(plan: KeptPlan): void {
    plan.plans.delete(plan.shape)
    if (this.#kept.delete(plan)) this.#size -= plan.prepared.textSize
  }
}
