// The concurrency limits of event triggers on one instance.

import type { ResolvedTrigger } from '../metadata.ts'

/** Triggers with a limit, and how many more of their events may be claimed. */
export interface Rooms {
  readonly names: readonly string[]
  readonly rooms: readonly number[]
}

interface Held {
  readonly trigger_name: string
}

/** The triggers of an instance. */
export interface LimitedTriggers {
  readonly served: ReadonlyMap<string, ResolvedTrigger>
  /** The names of inconsistent triggers, which are not served. */
  readonly unserved: ReadonlySet<string>
  /** The concurrency of triggers that configure none; 0: no limit. */
  readonly standard: number
}

/**
 * The free room of each limited trigger. Paused triggers have none: an instance that does not know of a resume leaves the events
 * to others. Inconsistent triggers have none either: another instance may serve them, for example with another environment.
 */
export function roomsOf({ served, unserved, standard }: LimitedTriggers, held: Iterable<Held>): Rooms {
  const limits = new Map<string, number>()
  for (const name of unserved) limits.set(name, 0)
  for (const { name, entry } of served.values()) {
    const limit = entry.paused ? 0 : (entry.concurrency ?? (standard || Number.POSITIVE_INFINITY))
    if (limit < Number.POSITIVE_INFINITY) limits.set(name, limit)
  }
  if (limits.size === 0) return { names: [], rooms: [] }
  const counts = new Map<string, number>()
  for (const { trigger_name: name } of held) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...limits.keys()]
  return { names, rooms: names.map((name) => Math.max(0, limits.get(name)! - (counts.get(name) ?? 0))) }
}
