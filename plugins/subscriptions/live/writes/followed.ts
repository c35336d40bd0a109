// Which groups need not be asked when an interval ends, because all writes that matter to them are reported. Two things could
// break that in silence: decoding that has stopped, and definitions that changed, which the log does not tell.

import type { Database } from '../../../../sdk/sql.ts'
import { fullPollMillis } from '../../tuning.ts'
import type { Group } from '../groups/group.ts'
import type { ChangeWatch } from './changes.ts'
import { definitionsOf } from './reads.ts'

export interface FollowedGroupsOptions {
  readonly database: Pick<Database, 'rows'>
  readonly changes: ChangeWatch
}

export class FollowedGroups {
  readonly #options: FollowedGroupsOptions
  #lastFull = performance.now()

  constructor(options: FollowedGroupsOptions) {
    this.#options = options
  }

  /** Those of the groups for which all writes were reported, up to a position shortly before the snapshot. */
  async reported(groups: readonly Group[], snapshot: string): Promise<ReadonlySet<Group>> {
    const { database, changes } = this.#options
    const followed = changes.isFollowing ? groups.filter(({ reads }) => reads.isNotified) : []
    if (followed.length === 0 || this.#isFullDue()) return new Set()
    const fresh = followed.filter(({ reads }) => reads.definedAt !== snapshot)
    if (fresh.length === 0) return new Set(followed)
    const relations = new Set(fresh.flatMap(({ reads }) => reads.relations))
    const current = await definitionsOf(database, [...relations]).catch(() => null)
    if (!current) return new Set()
    const isReported = changes.check(current.position)
    const changed = new Set(fresh.filter(({ reads }) => reads.isRedefined(current, snapshot)))
    return new Set(isReported ? followed.filter((group) => !changed.has(group)) : [])
  }

  #isFullDue(): boolean {
    const now = performance.now()
    if (now - this.#lastFull < fullPollMillis) return false
    this.#lastFull = now
    return true
  }
}
