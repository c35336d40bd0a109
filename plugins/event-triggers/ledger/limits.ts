// How many events of each trigger an instance may claim.
//
// A trigger has the concurrency that it or an option configures. Without one it has a share of the pool: no trigger takes the
// whole pool, so the next event of any other finds room. A share depends on the room that is free, so it is large while others
// have little to do.

import type { ResolvedTrigger } from '../resolving.ts'
import { timesOfFree } from '../tuning.ts'
import type { Activity } from './activity.ts'

/** How many more events may be claimed. */
export interface Rooms {
  /** The triggers that have a number of their own. */
  readonly names: readonly string[]
  readonly rooms: readonly number[]
  /** For each other trigger; null: any number. */
  readonly others: number | null
  /** The triggers among `names` that have a share of the pool. */
  readonly sharing: ReadonlySet<string>
}

interface Held {
  readonly trigger_name: string
}

/** The triggers of an instance. */
export interface LimitedTriggers {
  readonly served: ReadonlyMap<string, ResolvedTrigger>
  /** The names of inconsistent triggers, which are not served. */
  readonly unserved: ReadonlySet<string>
  /** The concurrency of triggers that configure none; 0: a share of the pool. */
  readonly standard: number
  /** Deliveries at once, of all triggers. */
  readonly pool: number
  readonly activity: Pick<Activity, 'running' | 'runningOf' | 'recent'>
}

/**
 * The free room of each trigger with a limit. Paused triggers have none: an instance that does not know of a resume leaves the events
 * to others. Inconsistent triggers have none either: another instance may serve them, for example with another environment.
 */
export function roomsOf(triggers: LimitedTriggers, held: Iterable<Held>): Rooms {
  const { served, unserved, standard, activity } = triggers
  const counts = new Map<string, number>()
  for (const { trigger_name: name } of held) counts.set(name, (counts.get(name) ?? 0) + 1)
  const rooms = new Map<string, number>()
  const roomIn = (limit: number, name: string) => Math.max(0, limit - (counts.get(name) ?? 0))
  for (const name of unserved) rooms.set(name, 0)
  for (const { name, entry } of served.values()) {
    const limit = entry.paused ? 0 : (entry.concurrency ?? standard)
    if (entry.paused || limit > 0) rooms.set(name, roomIn(limit, name))
  }
  const sharing = new Set<string>()
  const isShared = isPoolShared(triggers)
  const { share, newcomer } = sharesOf(triggers, counts.size)
  for (const name of isShared ? counts.keys() : []) {
    if (rooms.has(name)) continue
    sharing.add(name)
    rooms.set(name, roomIn(Math.max(share, activity.recent(name)), name))
  }
  return { names: [...rooms.keys()], rooms: [...rooms.values()], others: isShared ? newcomer : null, sharing }
}

/** By the served triggers of a model: whether more than one of them is active. */
const severalActive = new WeakMap<LimitedTriggers['served'], boolean>()

/** A trigger alone may use the whole pool. */
function isPoolShared({ served, standard }: LimitedTriggers): boolean {
  if (standard !== 0) return false
  const known = severalActive.get(served)
  if (known !== undefined) return known
  const isShared = [...served.values()].filter(({ entry }) => !entry.paused).length > 1
  severalActive.set(served, isShared)
  return isShared
}

/** The events that one of `busy` triggers, and a further one, may hold. */
function sharesOf(triggers: LimitedTriggers, busy: number) {
  // While short deliveries fill the pool, it turns over at once, so each trigger may hold some events.
  const least = (count: number) => Math.ceil(triggers.pool / (count + 1))
  const running = mostRunning(triggers)
  return { share: Math.max(running, least(busy)), newcomer: Math.max(running, least(busy + 1)) }
}

/** The deliveries of one trigger that may be in flight now. */
const mostRunning = ({ pool, activity }: LimitedTriggers): number =>
  Math.max(1, Math.min(pool - 1, timesOfFree * (pool - activity.running)))

/** Whether a delivery of a trigger may begin. */
export function mayBegin(name: string, triggers: LimitedTriggers): boolean {
  const entry = triggers.served.get(name)?.entry
  if (!entry || entry.concurrency !== undefined || !isPoolShared(triggers)) return true
  return triggers.activity.runningOf(name) < mostRunning(triggers)
}
