// The groups to ask before the interval ends, and why: writes by this server and others, and commits that decoding reported.

import type { DecodedCommit } from '../../../sdk/sql.ts'
import type { Group } from './groups/group.ts'

/** Groups whose writes are not reported; all groups. */
export const unnotified = Symbol('unnotified')
export const everything = Symbol('everything')

/** Why to poll: one of the above, written tables, or a commit that decoding reported. */
export type WakeReason = typeof unnotified | typeof everything | ReadonlySet<string> | DecodedCommit

/** The reasons for one poll. */
export class Wanted {
  readonly #groups = new Set<symbol>()
  /** Tables written through this server and other instances. */
  readonly #own = new Set<string>()
  readonly commits: DecodedCommit[] = []

  add(reason: WakeReason): void {
    if (typeof reason === 'symbol') this.#groups.add(reason)
    else if ('transaction' in reason) this.commits.push(reason)
    else for (const table of reason) this.#own.add(table)
  }

  /** Whether a group has to be asked, whatever decoding reported. */
  has({ reads }: Group, isFollowing: boolean): boolean {
    if (this.#groups.has(everything)) return true
    // Functions may read tables that are not known here, so a write by this server may concern any group.
    const isOwn = this.#own.size > 0 && (!reads.isNotified || reads.readsAny(this.#own))
    return (this.#groups.has(unnotified) || isOwn) && !(reads.isNotified && isFollowing)
  }

  /** Wakes a group for the commits that changed tables which it reads. */
  wakeForCommits(group: Group, snapshot: string | null): void {
    const commits = this.commits.filter(({ tables }) => group.reads.readsAny(tables.keys()))
    if (commits.length > 0) group.wakeFor(commits, snapshot)
  }
}
