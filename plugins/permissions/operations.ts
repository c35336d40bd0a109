// Granting and revoking permissions.

import { badRequest, type Dialect, nameText, type QualifiedName, type TSchema } from '../../sdk/index.ts'
import { type Operation, operation, type TableEntry } from '../../sdk/metadata.ts'
import { requireTable } from '../tables/index.ts'
import { requireTableKey } from '../tables/schema.ts'
import { permissionRef } from './metadata.ts'
import {
  createPermissionArgs,
  DropPermissionArgs,
  type PermissionEntry,
  type PermissionKind,
  SetPermissionCommentArgs,
} from './schema.ts'

/** The entry's permissions of a kind, as a list to edit; created if absent. */
function permissionsOf<K extends PermissionKind>(entry: TableEntry, kind: K): PermissionEntry<K>[] {
  const lists: { [key in `${PermissionKind}_permissions`]?: unknown } = entry
  lists[`${kind}_permissions`] ??= []
  return lists[`${kind}_permissions`] as PermissionEntry<K>[]
}

function createPermission<K extends PermissionKind>(kind: K, dialect: Dialect) {
  return operation({
    type: `create_${kind}_permission`,
    about: { summary: `Lets a role ${kind} rows of a table.` },
    args: createPermissionArgs(kind, dialect),
    decode: requireTableKey,
    group: 'create permissions',
    check: 'object',
    object: ({ table, role }) => permissionRef(table, role, kind),
    handle(context, { table, ...permission }) {
      const permissions = permissionsOf(requireTable(context.metadata, table), kind)
      // Version 2 counts the rights of administrators as a permission that exists.
      const isOfAdmin = context.interface === '2' && permission.role === 'admin'
      if (isOfAdmin || permissions.some(({ role }) => role === permission.role)) {
        const message = `${kind} permission already defined on table "${nameText(table)}" with role "${permission.role}"`
        throw badRequest('already-exists', message)
      }
      permissions.push(permission)
    },
  })
}

const noSuchPermission = (kind: string, table: QualifiedName, role: string) =>
  badRequest('permission-denied', `${kind} permission on "${nameText(table)}" for role "${role}" does not exist`)

const dropPermission = (kind: PermissionKind) =>
  operation({
    type: `drop_${kind}_permission`,
    about: { summary: `Drops the permission of a role to ${kind} rows of a table.` },
    args: DropPermissionArgs,
    decode: requireTableKey,
    group: 'drop permissions',
    check: 'new',
    handle({ metadata, remove }, { table, role }) {
      requireTable(metadata, table)
      if (!remove(permissionRef(table, role, kind))) throw noSuchPermission(kind, table, role)
    },
  })

export const setPermissionComment = operation({
  type: 'set_permission_comment',
  about: { summary: 'Sets or clears the comment of a permission.' },
  args: SetPermissionCommentArgs,
  decode: requireTableKey,
  group: 'set comments',
  handle({ metadata }, { table, role, permission: kind, comment }) {
    const permissions: readonly PermissionEntry[] = requireTable(metadata, table)[`${kind}_permissions`] ?? []
    const entry = permissions.find((permission) => permission.role === role)
    if (!entry) throw noSuchPermission(`'${kind}'`, table, role)
    if (comment === undefined) delete entry.comment
    else entry.comment = comment
  },
})

export const createPermissions = (dialect: Dialect): readonly Operation<TSchema>[] => [
  createPermission('insert', dialect),
  createPermission('select', dialect),
  createPermission('update', dialect),
  createPermission('delete', dialect),
]

export const dropPermissions: readonly Operation<TSchema>[] = [
  dropPermission('insert'),
  dropPermission('select'),
  dropPermission('update'),
  dropPermission('delete'),
]
