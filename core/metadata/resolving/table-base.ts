// The first stage of a table's model: its columns, names and kind, from its own entry and catalog table.

import type { CatalogColumn, CatalogTable } from '../../catalog/types.ts'
import { englishList, graphqlBaseName, isGraphQLName, nameText, type QualifiedName } from '../../names/names.ts'
import type { TableConfiguration, TableEntry } from '../document/document.ts'
import type { ColumnModel, TableModel } from '../document/model.ts'
import { columnComment, configurationOf, customColumnName, customColumns } from '../document/table-configuration.ts'
import { camelCase } from '../naming/casing.ts'
import { plainNaming, type SourceNaming } from '../naming/source-naming.ts'
import type { ColumnTransforms } from './column-transforms.ts'
import { enumTableError } from './enum-table.ts'

/** The input of the first stage. */
export interface BaseInput {
  readonly entry: TableEntry
  readonly catalog: CatalogTable | undefined
  /** The column that other tables refer to when this tracked table serves as an enum; otherwise null. */
  enumKey(table: QualifiedName): string | null
  /** The transformations of columns, if plugins declare any. */
  readonly transforms?: ColumnTransforms
  /** Absent: names as they are in the database. */
  readonly naming?: Pick<SourceNaming, 'isCamel'>
}

/** The table with its columns, or the reason why it cannot be served. */
export type BaseResult = { readonly table: TableModel } | { readonly reason: string }

export function resolveBase({ entry, catalog, enumKey, transforms, naming = plainNaming }: BaseInput): BaseResult {
  if (!catalog) return { reason: `no such table/view exists in postgres: "${nameText(entry.table)}"` }
  const configuration = configurationOf(entry)
  const enumReason = entry.is_enum ? enumTableError(catalog) : null
  const fieldOf = fieldNames(catalog, configuration, naming)
  const reason = enumReason ?? customNamesError(catalog, configuration, fieldOf)
  if (reason !== null) return { reason }
  const enumTables = referencedEnums(catalog, enumKey)
  const ambiguous = [...enumTables].find(([, tables]) => tables.length > 1)
  if (ambiguous) return { reason: ambiguousEnumError(catalog, ...ambiguous) }
  const table = baseTable(entry, catalog, { enumTables, fieldOf, isCamel: naming.isCamel })
  return transforms ? withTransforms(table, transforms) : { table }
}

/** The table whose columns have the transformations of plugins. */
function withTransforms(table: TableModel, transforms: ColumnTransforms): BaseResult {
  const changed = new Map<string, ColumnModel>()
  for (const model of table.columns.values()) {
    const found = transforms.of(table.name, model.column)
    if ('reason' in found) return found
    if (found.transform) changed.set(model.name, { ...model, transform: found.transform })
  }
  if (changed.size === 0) return { table }
  // The values of an enum table are a part of the schema, for every role.
  if (table.isEnum) return { reason: 'an enum table has no columns that a plugin transforms' }
  const columns = new Map([...table.columns].map(([name, model]) => [name, changed.get(name) ?? model]))
  const exposed = [...columns.values()].filter(({ field }) => field !== null)
  return { table: { ...table, columns, fields: new Map(exposed.map((column) => [column.field!, column])) } }
}

function baseTable(entry: TableEntry, catalog: CatalogTable, { enumTables, fieldOf, isCamel }: TableNames): TableModel {
  const configuration = configurationOf(entry)
  const columns = new Map(
    catalog.columns.map((column) => {
      const enumTable = enumTables.get(column.name)?.[0] ?? null
      return [column.name, columnModel(column, fieldOf(column), configuration, enumTable)]
    }),
  )
  const base = isCamel ? camelCase(graphqlBaseName(entry.table)) : graphqlBaseName(entry.table)
  const exposed = [...columns.values()].filter(({ field }) => field !== null)
  return {
    name: entry.table,
    graphqlName: configuration.custom_name ?? (isGraphQLName(base) ? base : null),
    isCamel,
    catalog,
    configuration,
    isEnum: entry.is_enum === true,
    enumValues: entry.is_enum ? catalog.enumValues : null,
    columns,
    primaryKey: catalog.primaryKey,
    fields: new Map(exposed.map((column) => [column.field!, column])),
    permissions: new Map(),
    extensions: new Map(),
  }
}

const columnModel = (
  column: CatalogColumn,
  field: string | null,
  configuration: TableConfiguration,
  enumTable: QualifiedName | null,
): ColumnModel => ({
  kind: 'column',
  name: column.name,
  field,
  type: column.type,
  nullable: column.nullable,
  comment: (columnComment(configuration, column.name) ?? column.comment) || null,
  column,
  enumTable,
})

type FieldOf = (column: CatalogColumn) => string | null

interface TableNames extends Pick<SourceNaming, 'isCamel'> {
  readonly enumTables: ReadonlyMap<string, readonly QualifiedName[]>
  readonly fieldOf: FieldOf
}

/** The GraphQL names of columns: a custom name as it is written. A column whose name in camel case is taken keeps its own. */
function fieldNames(
  { columns }: CatalogTable,
  configuration: TableConfiguration,
  { isCamel }: Pick<SourceNaming, 'isCamel'>,
): FieldOf {
  const plain: FieldOf = ({ name }) => customColumnName(configuration, name) ?? (isGraphQLName(name) ? name : null)
  if (!isCamel) return plain
  const taken = new Set(columns.map(plain))
  const camels = columns.map(({ name }) => camelCase(name))
  const repeated = new Set(camels.filter((name, i) => camels.indexOf(name) !== i))
  return (column) => {
    const name = plain(column)
    if (name === null || customColumnName(configuration, column.name) !== undefined) return name
    const camel = camelCase(name)
    return repeated.has(camel) || taken.has(camel) ? name : camel
  }
}

function customNamesError(
  { columns }: CatalogTable,
  configuration: TableConfiguration,
  fieldOf: FieldOf,
): string | null {
  for (const [column, name] of customColumns(configuration)) {
    if (columns.some((candidate) => candidate.name === column)) continue
    const given = name === undefined ? 'a configuration' : `the custom field name "${name}"`
    return `${given} was given for the column "${column}", but no such column exists`
  }
  const byField = new Map<string, string[]>()
  for (const column of columns) {
    const field = fieldOf(column)
    if (field !== null) byField.set(field, [...(byField.get(field) ?? []), column.name])
  }
  for (const [field, names] of byField) {
    if (names.length < 2) continue
    const list = englishList(names.map((name) => `"${name}"`))
    return `the definitions of columns ${list} are in conflict: they are mapped to the same field name, "${field}"`
  }
  return null
}

/** The enum table of each column that has its own single-column foreign key, one that every row satisfies. */
function referencedEnums(
  { foreignKeys }: CatalogTable,
  enumKey: BaseInput['enumKey'],
): ReadonlyMap<string, readonly QualifiedName[]> {
  const found = new Map<string, QualifiedName[]>()
  for (const { columns, target, targetColumns, isUnproven } of foreignKeys) {
    if (isUnproven || columns.length !== 1 || enumKey(target) !== targetColumns[0]) continue
    const column = columns[0]!
    const known = found.get(column) ?? []
    if (!known.some(({ schema, name }) => schema === target.schema && name === target.name)) {
      found.set(column, [...known, target])
    }
  }
  return found
}

function ambiguousEnumError(table: CatalogTable, column: string, enums: readonly QualifiedName[]): string {
  const list = enums.map((name) => `"${nameText(name)}"`).join(', ')
  return `column "${column}" in table "${nameText(table)}" references multiple enum tables (${list})`
}
