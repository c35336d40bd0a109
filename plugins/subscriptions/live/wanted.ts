// For whose sake there is a look before the interval is over.

/** Groups of which no write is heard by other means; all groups. */
export const unheard = Symbol('unheard')
export const everything = Symbol('everything')

/** For whose sake there is a look. */
export type Wanted = typeof unheard | typeof everything | ReadonlySet<string>

export interface WantedGroups {
  readonly groups: Set<symbol>
  /** Tables written through this server and others like it. */
  readonly own: Set<string>
  /** Tables whose writes were heard of by other means. */
  readonly tables: Set<string>
}

export const noneWanted = (): WantedGroups => ({ groups: new Set(), own: new Set(), tables: new Set() })
export const none: ReadonlySet<string> = new Set()
