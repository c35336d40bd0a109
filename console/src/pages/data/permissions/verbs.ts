// The permissions of a table, by role and verb.

import type { Operation } from '../../../server/operations.ts'
import type { PermissionEntry, TableEntry } from '../../../server/queries.ts'
import type { TableInfo } from '../table-info.ts'

export const verbs = ['select', 'insert', 'update', 'delete'] as const

export type Verb = (typeof verbs)[number]

/** A permission as the metadata has it. */
export type Permission = Readonly<Record<string, unknown>>

/** The permission of a role; null: it has no such permission. */
export const permissionOf = (entry: TableEntry | undefined, role: string, verb: Verb): Permission | null =>
  (entry?.[`${verb}_permissions`] as readonly PermissionEntry[] | undefined)?.find((each) => each.role === role)
    ?.permission ?? null

const isEmpty = (rule: unknown): boolean => rule === undefined || rule === null || Object.keys(rule).length === 0

/** A permission in a few words. */
export function summary(permission: Permission, verb: Verb, info: Pick<TableInfo, 'columns'>): string {
  const { columns, filter, check, set, limit } = permission
  const count = columns === '*' ? info.columns.length : Array.isArray(columns) ? columns.length : null
  const rules = verb === 'insert' ? [check] : verb === 'update' ? [filter, check] : [filter]
  const parts = [
    rules.every(isEmpty) ? 'all rows' : 'by rule',
    count !== null && count < info.columns.length ? `${count} of ${info.columns.length} columns` : null,
    set && Object.keys(set).length > 0 ? 'presets' : null,
    typeof limit === 'number' ? `limit ${limit}` : null,
  ]
  return parts.filter(Boolean).join(', ')
}

/** A permission that allows all rows and columns, as a beginning. */
export const fullPermission = (verb: Verb): Permission =>
  ({
    select: { columns: '*', filter: {} },
    insert: { columns: '*', check: {} },
    update: { columns: '*', filter: {} },
    delete: { filter: {} },
  })[verb]

interface Change {
  readonly entry: TableEntry
  readonly role: string
  readonly verb: Verb
  /** Null: the permission goes. */
  readonly permission: Permission | null
}

/** The operations that put a permission in the place of the one before. */
export function operationsOf({ entry, role, verb, permission }: Change): readonly Operation[] {
  const { table } = entry
  const lists = entry[`${verb}_permissions`] as readonly PermissionEntry[] | undefined
  const old = lists?.find((each) => each.role === role)
  const comment = old?.comment === undefined ? {} : { comment: old.comment }
  return [
    ...(old ? [{ type: `drop_${verb}_permission`, args: { table, role } }] : []),
    ...(permission ? [{ type: `create_${verb}_permission`, args: { table, role, permission, ...comment } }] : []),
  ]
}
