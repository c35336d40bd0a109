// Copying permissions of a role to other roles, verbs and tables.

import type { TableName } from '../../../server/names.ts'
import type { Operation } from '../../../server/operations.ts'
import { entryOf, type Metadata, type TableEntry } from '../../../server/queries.ts'
import { operationsOf, type Permission, permissionOf, type Verb } from './verbs.ts'

/** A table that gets copies. */
export interface TargetTable {
  readonly name: TableName
  readonly entry: TableEntry
  readonly columns: readonly string[]
  /** The object relationship that leads to the table of the copied permission; null without one. */
  readonly toSource: string | null
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
  /** The relationship through which the rule goes; null: it is the same. */
  readonly through: string | null
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

/** The columns and relationships that a rule begins with. */
function namesIn(rule: unknown): readonly string[] {
  if (Array.isArray(rule)) return rule.flatMap(namesIn)
  if (typeof rule !== 'object' || rule === null) return []
  return Object.entries(rule).flatMap(([key, value]) =>
    /^[_$](?:and|or|not)$/.test(key) ? namesIn(value) : /^[_$]/.test(key) ? [] : [key],
  )
}

/** The relationship through which a rule reaches its columns from a table; null: the table has them all. */
function wayOf(rule: unknown, { entry, columns, toSource }: TargetTable): string | null {
  const relationships = [...(entry.object_relationships ?? []), ...(entry.array_relationships ?? [])]
  const known = new Set([...columns, ...relationships.map(({ name }) => name)])
  return namesIn(rule).every((name) => known.has(name)) ? null : toSource
}

/** A permission as a table can have it: with the columns that it has, and rules through a relationship where need be. */
function fitted(permission: Permission, table: TargetTable): Pick<Copy, 'permission' | 'missing' | 'through'> {
  const { columns, set } = permission
  const known = table.columns
  const given = Array.isArray(columns) ? (columns as readonly string[]) : []
  const presets = Object.entries((set ?? {}) as Permission)
  const missing = [...given, ...presets.map(([name]) => name)].filter((name) => !known.includes(name))
  const ways = (['filter', 'check'] as const).map((key) => [key, wayOf(permission[key], table)] as const)
  const rules = ways.flatMap(([key, way]) => (way === null ? [] : [[key, { [way]: permission[key] }] as const]))
  return {
    permission: {
      ...permission,
      ...Object.fromEntries(rules),
      ...(Array.isArray(columns) && { columns: given.filter((name) => known.includes(name)) }),
      ...(set !== undefined && { set: Object.fromEntries(presets.filter(([name]) => known.includes(name))) }),
    },
    missing: [...new Set(missing)],
    through: ways.find(([, way]) => way !== null)?.[1] ?? null,
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
        const copy = fitted(convert(source, from, to), table)
        const old = permissionOf(table.entry, target, to)
        return isSame(old, copy.permission) ? [] : [{ table, role: target, verb: to, old, ...copy }]
      }),
    ),
  )

/** The operations of copies, over the permissions of a document. */
export const copyOperations = (copies: readonly Copy[], now: Metadata): readonly Operation[] =>
  copies.flatMap(({ table, role, verb, permission }) =>
    operationsOf({ entry: entryOf(now, table.name) ?? table.entry, role, verb, permission }),
  )
