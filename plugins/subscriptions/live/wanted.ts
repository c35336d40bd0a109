// The groups to ask in a poll before the interval ends.

import type { ChangedTables } from './groups/group-reads.ts'

/** Groups whose writes are not reported; all groups. */
export const unnotified = Symbol('unnotified')
export const everything = Symbol('everything')

/** The reason for a poll. */
export type Wanted = typeof unnotified | typeof everything | readonly ChangedTables[]

export interface WantedGroups {
  readonly groups: Set<symbol>
  /** Tables written through this server and other instances. */
  readonly own: Set<string>
  /** Changes that decoding reported. */
  readonly changes: ChangedTables[]
}

export const noneWanted = (): WantedGroups => ({ groups: new Set(), own: new Set(), changes: [] })
export const none: readonly ChangedTables[] = []
