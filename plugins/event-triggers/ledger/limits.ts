// How many deliveries of one event trigger an instance has under way at once, for triggers that say how many there may be.

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
  /** Names of those that it does not serve, since they are inconsistent. */
  readonly unserved: ReadonlySet<string>
  /** Deliveries at once of one that says nothing; 0: any number. */
  readonly standard: number
}

/**
 * The room of each trigger with a limit, so much being held. Those that are paused have no room: who has not heard yet that one goes on
 * leaves its events to others. Nor have those that are inconsistent, which others may serve: with another environment, say.
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
