// Copying permissions of a role to other roles, verbs and tables.

import type { TableName } from '../../../server/names.ts'
import type { Operation } from '../../../server/operations.ts'
import type { TableEntry } from '../../../server/queries.ts'
import { operationsOf, type Permission, permissionOf, type Verb } from './verbs.ts'

/** A table that gets copies. */
export interface TargetTable {
  readonly name: TableName
  readonly entry: TableEntry
  readonly columns: readonly string[]
}

/** One permission that is copied. */
export interface Copy {
  readonly table: TargetTable
  readonly role: string
  readonly verb: Verb
  readonly permission: Permission
  /** Null: the role has no such permission yet. */
  readonly old: Permission | null
  /** Columns that the table does not have, which the copy leaves out. */
  readonly missing: readonly string[]
}

/** A permission of one verb as that of another one: the same rows, columns and presets, as far as the verb has them. */
export function convert(permission: Permission, from: Verb, to: Verb): Permission {
  if (from === to) return permission
  const { filter, check, columns, set } = permission
  const rule = (from === 'insert' ? check : filter) ?? {}
  const rows = to === 'insert' ? { check: rule } : { filter: rule }
  return {
    ...rows,
    ...(to !== 'delete' && { columns: columns ?? '*' }),
    ...((to === 'insert' || to === 'update') && set !== undefined && { set }),
  }
}

/** A permission with the columns that a table has, and the names of the others. */
function fitted(
  permission: Permission,
  known: readonly string[],
): { permission: Permission; missing: readonly string[] } {
  const { columns, set } = permission
  const given = Array.isArray(columns) ? (columns as readonly string[]) : []
  const presets = Object.entries((set ?? {}) as Permission)
  const missing = [...given, ...presets.map(([name]) => name)].filter((name) => !known.includes(name))
  return {
    permission: {
      ...permission,
      ...(Array.isArray(columns) && { columns: given.filter((name) => known.includes(name)) }),
      ...(set !== undefined && { set: Object.fromEntries(presets.filter(([name]) => known.includes(name))) }),
    },
    missing: [...new Set(missing)],
  }
}

interface Wanted {
  readonly entry: TableEntry
  readonly role: string
  /** The verbs to copy from, each with those to copy to. */
  readonly verbs: readonly (readonly [from: Verb, to: Verb])[]
  readonly roles: readonly string[]
  readonly tables: readonly TargetTable[]
}

const isSame = (one: Permission | null, other: Permission): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The copies that change anything. */
export const copiesOf = ({ entry, role, verbs, roles, tables }: Wanted): readonly Copy[] =>
  tables.flatMap((table) =>
    roles.flatMap((target) =>
      verbs.flatMap(([from, to]) => {
        const source = permissionOf(entry, role, from)
        if (!source) return []
        const { permission, missing } = fitted(convert(source, from, to), table.columns)
        const old = permissionOf(table.entry, target, to)
        return isSame(old, permission) ? [] : [{ table, role: target, verb: to, permission, old, missing }]
      }),
    ),
  )

/** The operations of copies. */
export const copyOperations = (copies: readonly Copy[]): readonly Operation[] =>
  copies.flatMap(({ table, role, verb, permission }) => operationsOf({ entry: table.entry, role, verb, permission }))
