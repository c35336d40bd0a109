// The slice `tables`: the tracked tables, their configuration, and the facets in their entries.
// Core resolves it, in stages: the columns of all tables, then their facets.

import { compareNames, nameText, parseFailed, type QualifiedName, sameName, Type } from '../../sdk/index.ts'
import {
  DocumentTableConfig,
  DocumentTableName,
  decode,
  type FormatContext,
  isEmptyConfiguration,
  type MetadataDocument,
  type ObjectRef,
  type Rename,
  type SliceDefinition,
  type SliceRenamePlace,
  type TableEntry,
  withColumnsRenamed,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

const TableHead = Type.Object(
  {
    table: DocumentTableName,
    is_enum: Type.Optional(Type.Boolean()),
    configuration: Type.Optional(DocumentTableConfig),
  },
  { missingKey: 'A' },
)

function readTable(value: unknown, { facets, fault = raise }: FormatContext): TableEntry {
  if (!isJsonObject(value)) throw parseFailed('expecting an Object for TableMetadata')
  const unknown = facets.unexpectedKeys(value, Object.keys(TableHead.properties))
  if (unknown.length > 0) fault(parseFailed(`unexpected keys when parsing TableMetadata : ${JSON.stringify(unknown)}`))
  const { table, is_enum, configuration } = decode(TableHead, value)
  const entry: TableEntry = { table }
  if (is_enum) entry.is_enum = true
  if (configuration && !isEmptyConfiguration(configuration)) entry.configuration = configuration
  return { ...entry, ...facets.read(value) }
}

function raise(error: Error): never {
  throw error
}

function writeTable(entry: TableEntry, { facets }: FormatContext): Record<string, unknown> {
  const { table, is_enum, configuration } = entry
  const wire: Record<string, unknown> = { table: { schema: table.schema, name: table.name } }
  if (is_enum) wire.is_enum = true
  if (configuration && !isEmptyConfiguration(configuration)) wire.configuration = configuration
  return { ...wire, ...facets.write(entry) }
}

const isName = (value: unknown): boolean =>
  isJsonObject(value) && typeof value['schema'] === 'string' && typeof value['name'] === 'string'

const isConfiguration = (value: unknown): boolean =>
  isJsonObject(value) && isJsonObject(value['custom_root_fields']) && isJsonObject(value['custom_column_names'])

function isUsable(value: unknown, { facets }: FormatContext): boolean {
  if (!isJsonObject(value) || !isName(value['table'])) return false
  const { configuration } = value
  return (configuration === undefined || isConfiguration(configuration)) && facets.areUsable(value)
}

/** The entry's own names, and those that facets keep in it. */
const renameTable = (entry: TableEntry, rename: Rename, { facets, lookup }: SliceRenamePlace): TableEntry => ({
  ...renameOwnKeys(entry, rename),
  ...facets.rename(entry, rename, { lookup }),
})

function renameOwnKeys(entry: TableEntry, rename: Rename): TableEntry {
  if (rename.kind === 'table') return sameName(entry.table, rename.from) ? { ...entry, table: rename.to } : entry
  const { configuration } = entry
  if (rename.kind === 'relationship' || !configuration || !sameName(entry.table, rename.table)) return entry
  const renamed = (column: string) => (column === rename.from ? rename.to : column)
  return { ...entry, configuration: withColumnsRenamed(configuration, renamed) }
}

function removeTable({ tables }: MetadataDocument, { kind, table }: ObjectRef): boolean {
  if (kind !== 'table' || !table) return false
  const index = tables.findIndex((entry) => entry.table.name === table.name && entry.table.schema === table.schema)
  if (index >= 0) tables.splice(index, 1)
  return index >= 0
}

const keyOf = ({ schema, name }: QualifiedName): string => JSON.stringify([schema, name])

export const tablesSlice: SliceDefinition<'tables'> = {
  schema: Type.Array(Type.Unknown()),
  describe: ({ facets }) =>
    Type.Array(
      Type.Object({ ...TableHead.properties, ...facets.shapes() }, { additionalProperties: false, title: 'Table' }),
    ),
  empty: [],
  isRequired: true,
  entryKey: ({ table }: TableEntry) => keyOf(table),
  entryName: ({ table }: TableEntry) => nameText(table),
  compareEntries: (a: TableEntry, b: TableEntry) => compareNames(a.table, b.table),
  readEntry: readTable,
  writeEntry: writeTable,
  validateEntry: (entry: TableEntry, { facets }) => facets.validate(entry),
  validate: (entries, _document, { facets }) => facets.validateAll(entries),
  isUsable,
  rename: renameTable,
  remove: removeTable,
}
