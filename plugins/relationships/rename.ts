// Following a rename: column and table names inside relationships.

import { type QualifiedName, sameName } from '../../sdk/index.ts'
import type { Rename } from '../../sdk/metadata.ts'
import type { ForeignKeyColumns, ManualConfiguration, RelationshipEntry, RelationshipType } from './schema.ts'

/** A relationship of `table` with the new name in place of the old one. */
export function renameInRelationship<T extends RelationshipType>(
  entry: RelationshipEntry<T>,
  rename: Rename,
  table: QualifiedName,
): RelationshipEntry<T> {
  if (rename.kind === 'relationship') {
    const isThis = entry.name === rename.from && sameName(table, rename.table)
    return isThis ? { ...entry, name: rename.to } : entry
  }
  const { foreign_key_constraint_on: key, manual_configuration: manual } = entry.using
  const using = manual
    ? { manual_configuration: renameInManual(manual, rename, table) }
    : { foreign_key_constraint_on: renameInKey(key as ForeignKey, rename, table) }
  return { ...entry, using: using as RelationshipEntry<T>['using'] }
}

type ForeignKey = ForeignKeyColumns[RelationshipType]

type DatabaseRename = Exclude<Rename, { readonly kind: 'relationship' }>

const renameTable = (name: QualifiedName, rename: DatabaseRename): QualifiedName =>
  rename.kind === 'table' && sameName(name, rename.from) ? rename.to : name

const renameColumn = (column: string, table: QualifiedName, rename: DatabaseRename): string =>
  rename.kind === 'column' && column === rename.from && sameName(table, rename.table) ? rename.to : column

/** A key has columns of the table itself, or of another table which it names. */
function renameInKey(key: ForeignKey, rename: DatabaseRename, table: QualifiedName): ForeignKey {
  if (typeof key === 'string') return renameColumn(key, table, rename)
  if (Array.isArray(key)) return key.map((column) => renameColumn(column, table, rename))
  const renamed = renameTable(key.table, rename)
  const { columns, column } = key
  if (columns) return { table: renamed, columns: columns.map((each) => renameColumn(each, key.table, rename)) }
  return { table: renamed, column: renameColumn(column, key.table, rename) }
}

function renameInManual(
  { remote_table: other, column_mapping: mapping, ...rest }: ManualConfiguration,
  rename: DatabaseRename,
  table: QualifiedName,
): ManualConfiguration {
  const renamed = Object.entries(mapping).map(([left, right]) => [
    renameColumn(left, table, rename),
    renameColumn(right, other, rename),
  ])
  return { remote_table: renameTable(other, rename), column_mapping: Object.fromEntries(renamed), ...rest }
}
