// The limits of a role: the stricter ones of the option and the metadata.

import { LRUCache } from 'lru-cache'
import { type ApiLimits, type Limit, limitFor, type RateLimit } from './schema.ts'
import { mostRoles } from './tuning.ts'

/** The limits of one role; null: no limit of that kind. */
export interface RoleLimits {
  readonly depth: number | null
  readonly nodes: number | null
  readonly aliases: number | null
  readonly batch: number | null
  /** Seconds. */
  readonly time: number | null
  /** All of them hold. */
  readonly rates: readonly RateLimit[]
}

/** The effective limits, by role. */
export class EffectiveLimits {
  readonly #option: ApiLimits
  readonly #stored: () => ApiLimits | undefined
  #known: { readonly stored: ApiLimits | undefined; readonly byRole: LRUCache<string, RoleLimits> } | null = null

  /** `stored` returns the limits of the served metadata. */
  constructor(option: ApiLimits, stored: () => ApiLimits | undefined) {
    this.#option = option
    this.#stored = stored
  }

  /** Whether introspection has its own limits. */
  get limitsIntrospection(): boolean {
    return this.#option.disabled !== true
  }

  /** Whether there is a limit of this kind for some role. */
  has(kind: 'time_limit' | 'rate_limit'): boolean {
    return [this.#option, this.#stored()].filter(holds).some((limits) => limits[kind] !== undefined)
  }

  of(role: string): RoleLimits {
    const stored = this.#stored()
    if (!this.#known || this.#known.stored !== stored) {
      this.#known = { stored, byRole: new LRUCache({ max: mostRoles }) }
    }
    const { byRole } = this.#known
    let limits = byRole.get(role)
    if (!limits) {
      limits = limitsOf([this.#option, stored].filter(holds), role)
      byRole.set(role, limits)
    }
    return limits
  }
}

const holds = (limits: ApiLimits | undefined): limits is ApiLimits => limits !== undefined && limits.disabled !== true

function limitsOf(all: readonly ApiLimits[], role: string): RoleLimits {
  const values = <T>(kind: (limits: ApiLimits) => Limit<T> | undefined): T[] =>
    all.flatMap((limits) => limitFor(kind(limits), role) ?? [])
  const least = (kind: (limits: ApiLimits) => Limit<number> | undefined): number | null => {
    const given = values(kind)
    return given.length === 0 ? null : Math.min(...given)
  }
  return {
    depth: least((limits) => limits.depth_limit),
    nodes: least((limits) => limits.node_limit),
    aliases: least((limits) => limits.alias_limit),
    batch: least((limits) => limits.batch_limit),
    time: least((limits) => limits.time_limit),
    rates: values((limits) => limits.rate_limit),
  }
}
