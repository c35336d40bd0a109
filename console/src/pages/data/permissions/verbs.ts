// The permissions of a table, by role and verb.

import { plural } from '../../../base/format.ts'
import type { Operation } from '../../../server/operations.ts'
import type { PermissionEntry, TableEntry } from '../../../server/queries.ts'

export const verbs = ['select', 'insert', 'update', 'delete'] as const

export type Verb = (typeof verbs)[number]

/** A permission as the metadata has it. */
export type Permission = Readonly<Record<string, unknown>>

/** The permission of a role; null: it has no such permission. */
export const permissionOf = (entry: TableEntry | undefined, role: string, verb: Verb): Permission | null =>
  (entry?.[`${verb}_permissions`] as readonly PermissionEntry[] | undefined)?.find((each) => each.role === role)
    ?.permission ?? null

const isEmpty = (rule: unknown): boolean => rule === undefined || rule === null || Object.keys(rule).length === 0

/** Whether a permission has no rule: every row fits. */
export function isForAllRows({ filter, check }: Permission, verb: Verb): boolean {
  const rules = verb === 'insert' ? [check] : verb === 'update' ? [filter, check] : [filter]
  return rules.every(isEmpty)
}

/** A permission in a few words; null: the number of the table's columns is not known. */
export function summary(permission: Permission, verb: Verb, all: number | null): string {
  const { columns, set, limit } = permission
  const count = Array.isArray(columns) ? columns.length : null
  const parts = [
    isForAllRows(permission, verb) ? 'all rows' : 'by rule',
    count !== null && count !== all ? columnsText(count, all) : null,
    set && Object.keys(set).length > 0 ? 'presets' : null,
    typeof limit === 'number' ? `limit ${limit}` : null,
  ]
  return parts.filter(Boolean).join(', ')
}

const columnsText = (count: number, all: number | null): string =>
  all === null ? plural(count, 'column') : `${count} of ${all} columns`

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
