// Columns in permissions: lists, `"*"`, and the errors for names that are not columns.

import { badRequest, didYouMean } from '../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'

/** The words for the kinds of a row's members in messages. */
const kindTexts: Readonly<Record<string, string>> = {
  column: 'column',
  relationship: 'relationship',
  computed_field: 'computed field',
  remote_relationship: 'remote relationship',
}

/** The word for a member of a row in messages. */
export const kindText = ({ kind }: { readonly kind: string }): string => kindTexts[kind] ?? kind.replaceAll('_', ' ')

/** The error texts for a name that is not a column. */
export interface ColumnRefusal {
  /** For a name that does not exist. */
  readonly missing: string
  /** The hint for a relationship or a computed field. */
  readonly hint: string
  /** The columns that the caller may see; absent: all. */
  readonly visible?: Iterable<string>
}

/** The column of that database name; throws if it does not exist, or is not a column. */
export function requireColumn(
  table: TableModel,
  name: string,
  { missing, hint, visible = table.columns.keys() }: ColumnRefusal,
): ColumnModel {
  const column = table.columns.get(name)
  if (column) return column
  const field = table.fields.get(name)
  if (!field || field.kind === 'column') {
    throw badRequest('not-exists', missing, { help: didYouMean(name, () => visible) })
  }
  throw badRequest('unexpected-payload', `expecting a postgres column; but, "${name}" is a ${kindText(field)}; ${hint}`)
}

/** The columns of a table that an expression may name. */
export const visibleColumns = (
  table: TableModel,
  { reader }: { readonly reader?: { columns(table: TableModel): Iterable<string> } },
): Iterable<string> => reader?.columns(table) ?? table.columns.keys()

const everyColumn = new WeakMap<TableModel, ReadonlySet<string>>()

/** All columns of a table: one set, shared by all roles. */
function allColumns(table: TableModel): ReadonlySet<string> {
  let columns = everyColumn.get(table)
  if (!columns) {
    columns = new Set(table.columns.keys())
    everyColumn.set(table, columns)
  }
  return columns
}

/** The columns that a permission's list stands for. */
export function resolveColumns(columns: readonly string[] | '*', table: TableModel, hint: string): ReadonlySet<string> {
  if (columns === '*') return allColumns(table)
  for (const name of columns) requireColumn(table, name, { missing: `column "${name}" does not exist`, hint })
  return new Set(columns)
}
