// Following a rename: column, relationship and table names inside permissions.

import { nameKey, type QualifiedName, sameName } from '../../sdk/index.ts'
import {
  findTable,
  type MetadataDocument,
  type Model,
  type ObjectRef,
  objectKey,
  type Rename,
  type TableEntry,
  type TableModel,
} from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'
import { type BooleanExpression, canonicalWord, columnOperator, readExists } from './expression-syntax.ts'
import type { PermissionEntry, PermissionKind, Permissions } from './schema.ts'

/** The tables as they were before the rename. */
export type TableLookup = (name: QualifiedName) => TableModel | undefined

/** Rewrites every permission of the draft that the model knows to use the renamed object. */
export function renameInPermissions(draft: MetadataDocument, rename: Rename, model: Model): void {
  const lookup: TableLookup = (name) => model.tables.get(nameKey(name))
  const renamed = objectKey(renamedObject(rename))
  const users = new Map<string, ObjectRef>()
  for (const { object, on } of model.dependencies) {
    if (object.kind === 'permission' && objectKey(on) === renamed) users.set(objectKey(object), object)
  }
  for (const { table, name, detail } of users.values()) {
    const entry = findTable(draft, table!)
    const permission = entry && findPermission(entry, detail as PermissionKind, name!)
    if (permission) permission.permission = renameInPermission(permission.permission, table!, rename, lookup)
  }
}

const renamedObject = (rename: Rename): ObjectRef =>
  rename.kind === 'table'
    ? { kind: 'table', table: rename.from }
    : { kind: rename.kind, table: rename.table, name: rename.from }

function findPermission(entry: TableEntry, kind: PermissionKind, role: string): PermissionEntry | undefined {
  const entries: readonly PermissionEntry[] | undefined = entry[`${kind}_permissions`]
  return entries?.find((permission) => permission.role === role)
}

/** A permission's definition with the new name in place of the old one. */
export function renameInPermission<P extends Permissions[PermissionKind]>(
  permission: P,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): P {
  const renamesColumn = rename.kind === 'column' && sameName(rename.table, table)
  const column = (name: string) => (renamesColumn && name === rename.from ? rename.to : name)
  const members = Object.entries(permission).map(([key, value]): [string, unknown] => {
    if (key === 'filter' || key === 'check') {
      return [key, value && renameInExpression(value as BooleanExpression, table, rename, lookup)]
    }
    if (key === 'columns') return [key, Array.isArray(value) ? value.map(column) : value]
    if (key === 'set') return [key, renameKeys(value as object, column)]
    return [key, value]
  })
  return Object.fromEntries(members) as P
}

const renameKeys = (record: object, rename: (key: string) => string): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))

/** An expression on the rows of `table` with the new name in place of the old one. */
export function renameInExpression(
  expression: BooleanExpression,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): BooleanExpression {
  const entries = Object.entries(expression).map(([key, value]) => renameEntry(key, value, table, rename, lookup))
  return Object.fromEntries(entries)
}

function renameEntry(
  key: string,
  value: unknown,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): [string, unknown] {
  const inside = (expression: unknown, of: QualifiedName) =>
    renameInExpression(expression as BooleanExpression, of, rename, lookup)
  switch (canonicalWord(key)) {
    case '_and':
    case '_or':
      return [key, (value as unknown[]).map((item) => inside(item, table))]
    case '_not':
      return [key, inside(value, table)]
    case '_exists': {
      const exists = readExists(value)
      return [key, { _table: renameTable(exists.table, rename), _where: inside(exists.where, exists.table) }]
    }
    default:
      return renameMember(key, value, table, rename, lookup)
  }
}

const renameTable = (name: QualifiedName, rename: Rename): QualifiedName =>
  rename.kind === 'table' && sameName(rename.from, name) ? rename.to : name

function renameMember(
  key: string,
  value: unknown,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): [string, unknown] {
  const isHere = rename.kind !== 'table' && sameName(rename.table, table)
  const name = isHere && key === rename.from ? rename.to : key
  if (jsonType(value) !== 'Object') return [name, value]
  const model = lookup(table)
  const field = model?.columns.has(key) ? undefined : model?.fields.get(key)
  if (field?.kind === 'relationship') {
    return [name, renameInExpression(value as BooleanExpression, field.target, rename, lookup)]
  }
  if (!isHere || rename.kind !== 'column') return [name, value]
  return [name, renameOperands(value as object, rename)]
}

/** The comparisons of a column with another name for the columns that they compare it with. */
const renameOperands = (comparisons: object, rename: { readonly from: string; readonly to: string }): object =>
  Object.fromEntries(
    Object.entries(comparisons).map(([word, operand]) => {
      if (columnOperator(word) !== undefined) return [word, operand === rename.from ? rename.to : operand]
      if (canonicalWord(word) !== '_cast') return [word, operand]
      const casts = Object.entries(operand as object).map(([type, inside]) => [type, renameOperands(inside, rename)])
      return [word, Object.fromEntries(casts)]
    }),
  )
