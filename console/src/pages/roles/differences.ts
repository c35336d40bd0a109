// Permissions of two roles that differ.

import { canonical } from '../../base/objects.ts'
import type { TableName } from '../../server/names.ts'
import { type Metadata, type PermissionEntry, tablesOf } from '../../server/queries.ts'

const verbs = ['select', 'insert', 'update', 'delete'] as const

/** A permission that one of two roles has in another form, or not at all. */
export interface PermissionDifference {
  readonly table: TableName
  readonly verb: (typeof verbs)[number]
  /** Null: the role has no such permission. */
  readonly before: PermissionEntry['permission'] | null
  readonly after: PermissionEntry['permission'] | null
}

/** The permissions in which two roles differ. */
export const permissionDifferences = (metadata: Metadata, a: string, b: string): readonly PermissionDifference[] =>
  tablesOf(metadata).flatMap((entry) =>
    verbs.flatMap((verb) => {
      const of = (role: string) => entry[`${verb}_permissions`]?.find((each) => each.role === role)?.permission ?? null
      const [before, after] = [of(a), of(b)]
      return canonical(before) === canonical(after) ? [] : [{ table: entry.table, verb, before, after }]
    }),
  )
