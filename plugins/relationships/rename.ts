// Following a rename: column and table names inside relationships.

import type { Rename } from '../../core/metadata/objects.ts'
import { type QualifiedName, sameName } from '../../core/names.ts'
import type { ManualConfiguration, RelationshipEntry, RelationshipType } from './schema.ts'

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
    : { foreign_key_constraint_on: renameInKey(key as string | ArrayKey, rename, table) }
  return { ...entry, using: using as RelationshipEntry<T>['using'] }
}

interface ArrayKey {
  readonly table: QualifiedName
  readonly column: string
}

type DatabaseRename = Exclude<Rename, { readonly kind: 'relationship' }>

const renameTable = (name: QualifiedName, rename: DatabaseRename): QualifiedName =>
  rename.kind === 'table' && sameName(name, rename.from) ? rename.to : name

const renameColumn = (column: string, table: QualifiedName, rename: DatabaseRename): string =>
  rename.kind === 'column' && column === rename.from && sameName(table, rename.table) ? rename.to : column

/** A key is a column of the table itself, or of another table which it names. */
function renameInKey(key: string | ArrayKey, rename: DatabaseRename, table: QualifiedName): string | ArrayKey {
  if (typeof key === 'string') return renameColumn(key, table, rename)
  return { table: renameTable(key.table, rename), column: renameColumn(key.column, key.table, rename) }
}

function renameInManual(
  { remote_table: other, column_mapping: mapping }: ManualConfiguration,
  rename: DatabaseRename,
  table: QualifiedName,
): ManualConfiguration {
  const renamed = Object.entries(mapping).map(([left, right]) => [
    renameColumn(left, table, rename),
    renameColumn(right, other, rename),
  ])
  return { remote_table: renameTable(other, rename), column_mapping: Object.fromEntries(renamed) }
}
