// The cached plans, bounded by their total size: one document can have many plans, and long ones.

import { maxPlansText, maxPlanText } from '../tuning.ts'
import type { PreparedOperation } from './prepared.ts'

/** A plan and its place in the cache. */
export interface KeptPlan {
  readonly plans: PlansByShape
  readonly shape: string
  readonly prepared: PreparedOperation
}

/** Plans of one operation, by the shape of the variables; the oldest come first. */
export type PlansByShape = Map<string, KeptPlan>

export class KeptPlans {
  /** In order of creation. */
  readonly #kept = new Set<KeptPlan>()
  #size = 0

  /** Adds a plan, and evicts older ones beyond the limits. `atMost`: the limit for the plans next to it. */
  add(plan: KeptPlan, atMost: number): void {
    const { plans, shape, prepared } = plan
    if (prepared.textSize > maxPlanText) return
    const displaced = plans.get(shape) ?? (plans.size >= atMost ? plans.values().next().value : undefined)
    if (displaced) this.#remove(displaced)
    plans.set(shape, plan)
    this.#kept.add(plan)
    this.#size += prepared.textSize
    for (const oldest of this.#kept) {
      if (this.#size <= maxPlansText) return
      this.#remove(oldest)
    }
  }

  /** Removes the plans of one variant. */
  removeAll(plans: PlansByShape): void {
    for (const plan of plans.values()) this.#remove(plan)
  }

  /** Removes all plans when they can no longer be reached. */
  clear(): void {
    this.#kept.clear()
    this.#size = 0
  }

  #remove(plan: KeptPlan): void {
    plan.plans.delete(plan.shape)
    if (this.#kept.delete(plan)) this.#size -= plan.prepared.textSize
  }
}
