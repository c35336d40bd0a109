// The groups to ask in a poll before the interval ends.

/** Groups whose writes are not reported; all groups. */
export const unnotified = Symbol('unnotified')
export const everything = Symbol('everything')

/** The reason for a poll. */
export type Wanted = typeof unnotified | typeof everything | ReadonlySet<string>

export interface WantedGroups {
  readonly groups: Set<symbol>
  /** Tables written through this server and other instances. */
  readonly own: Set<string>
  /** Tables whose writes were reported by decoding or triggers. */
  readonly tables: Set<string>
}

export const noneWanted = (): WantedGroups => ({ groups: new Set(), own: new Set(), tables: new Set() })
export const none: ReadonlySet<string> = new Set()
