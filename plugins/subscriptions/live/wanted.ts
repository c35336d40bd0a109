// The groups to ask before the interval ends, and why: writes by this server and others, and commits that decoding reported.

import type { ChangedTables, GroupReads } from './groups/group-reads.ts'

/** Groups whose writes are not reported; all groups. */
export const unnotified = Symbol('unnotified')
export const everything = Symbol('everything')

/** Why to poll: one of the above, written tables, or the changes of a commit. */
export type WakeReason = typeof unnotified | typeof everything | ReadonlySet<string> | ChangedTables

/** The reasons for one poll. */
export class Wanted {
  readonly #groups = new Set<symbol>()
  /** Tables written through this server and other instances. */
  readonly #own = new Set<string>()
  /** Changes that decoding reported. */
  readonly changes: ChangedTables[] = []

  add(reason: WakeReason): void {
    if (typeof reason === 'symbol') this.#groups.add(reason)
    else if ('get' in reason) this.changes.push(reason)
    else for (const table of reason) this.#own.add(table)
  }

  /** Whether a group has to be asked, whatever decoding reported. */
  has(reads: GroupReads, isFollowing: boolean): boolean {
    if (this.#groups.has(everything)) return true
    // Functions may read tables that are not known here, so a write by this server may concern any group.
    const isOwn = this.#own.size > 0 && (!reads.isNotified || reads.readsAny(this.#own))
    return (this.#groups.has(unnotified) || isOwn) && !(reads.isNotified && isFollowing)
  }

  /** The reported changes of tables that a group reads. */
  changesFor(reads: GroupReads): readonly ChangedTables[] {
    return this.changes.filter((tables) => reads.readsAny(tables.keys()))
  }
}
