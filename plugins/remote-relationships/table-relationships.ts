// Relationships of a table that are given in the form of remote ones and lead to rows of another table: they are ordinary
// relationships of the model.

import { badRequest, nameText, type QualifiedName, sameName } from '../../sdk/index.ts'
import type { ObjectRef, RelationshipModel, Rename, ResolveContext, TableModel } from '../../sdk/metadata.ts'
import { resolveColumns } from '../relationships/index.ts'
import { renamedToTable, type ToTableDefinition } from './to-table.ts'

/** An entry of `remote_relationships` that leads to rows of a table. */
export interface ToTableEntry {
  name: string
  definition: ToTableDefinition
}

/** The reference to it in dependencies: that of a relationship, as permissions that follow it have it. */
export const toTableRef = (table: QualifiedName, name: string): ObjectRef => ({ kind: 'relationship', table, name })

const broken = (reason: string) => badRequest('constraint-violation', reason)

/** The relationship of an entry; throws if the table or a column is missing, or if columns cannot be compared. */
export function resolveToTable(
  { name, definition }: ToTableEntry,
  table: TableModel,
  context: ResolveContext,
): RelationshipModel {
  const { relationship_type: type, source, table: target, field_mapping } = definition.to_source
  if (source !== undefined) throw broken(`source with name "${source}" does not exist`)
  const other = context.table(target)
  if (!other) throw broken(`table "${nameText(target)}" does not exist`)
  for (const [own, theirs] of Object.entries(field_mapping)) {
    if (!table.columns.has(own)) throw broken(`field with name "${own}" not found in table "${nameText(table.name)}"`)
    if (!other.columns.has(theirs)) {
      throw broken(`column "${theirs}" does not exist in table "${nameText(target)}"`)
    }
  }
  const using = { remote_table: target, column_mapping: field_mapping }
  const link = resolveColumns(type, using, { table, context, explain: broken })
  return { kind: 'relationship', name, type, comment: null, ...link }
}

/** An entry of `table` after a rename, which may be one of its own columns. */
export function renamedToTableEntry(entry: ToTableEntry, rename: Rename, table: QualifiedName): ToTableEntry {
  const { to_source } = renamedToTable(entry.definition, rename)
  if (rename.kind !== 'column' || !sameName(rename.table, table)) return { ...entry, definition: { to_source } }
  const field_mapping = Object.fromEntries(
    Object.entries(to_source.field_mapping).map(([own, theirs]) => [own === rename.from ? rename.to : own, theirs]),
  )
  return { ...entry, definition: { to_source: { ...to_source, field_mapping } } }
}
