// Arguments of the operations on tables.

import { parseFailed, type QualifiedName, Type } from '../../sdk/index.ts'
import {
  CustomColumnNames,
  CustomRootFields,
  decode,
  SourceName,
  TableConfig,
  type TableConfiguration,
  TableName,
} from '../../sdk/metadata.ts'

/** A table to track, and whether it is an enum table. */
export interface TrackedTable {
  readonly table: QualifiedName
  readonly is_enum?: boolean
}

const WithOptions = Type.Object({ table: TableName, is_enum: Type.Optional(Type.Boolean()) }, { missingKey: 'A' })
const NameWithOptions = Type.Object(
  { schema: Type.Optional(Type.String()), name: Type.String(), is_enum: Type.Boolean() },
  {
    missingKey: 'A',
    convert: ({ is_enum, ...table }: Partial<QualifiedName> & { name: string; is_enum: boolean }): TrackedTable => ({
      table: decode(TableName, table),
      is_enum,
    }),
  },
)
const BareName = { ...TableName, convert: (name: unknown): TrackedTable => ({ table: decode(TableName, name) }) }

/** `{table, is_enum?}`, or else the name of a table; where that is an object `is_enum` may stand in it. */
export const TrackTableArgs = Type.Unsafe<TrackedTable>(
  Type.Union([WithOptions, NameWithOptions, BareName], { message: 'expecting a string/object for QualifiedObject' }),
)

/** Parts of a table's entry that belong to other plugins, and that a table can be tracked with. They may be null. */
const TrackedParts = {
  apollo_federation_config: Type.Optional(Type.Union([Type.Object({ enable: Type.Literal('v1') }), Type.Null()])),
}

/** The names of these parts. */
export const trackedParts = Object.keys(TrackedParts) as (keyof typeof TrackedParts)[]

/** The arguments of one table to track. */
const Tracked = { table: TrackTableArgs, configuration: Type.Optional(TableConfig), ...TrackedParts }

export const TrackTableV2Args = Type.Object(Tracked)

/** One table of a list, with its names. */
export interface ListedTable {
  readonly table: TrackedTable
  readonly configuration?: TableConfiguration
  readonly apollo_federation_config?: object | null
  readonly source?: string
}

const WithConfiguration = Type.Object({ ...Tracked, source: Type.Optional(Type.String()) }, { missingKey: 'A' })

/** A table's name, or the arguments of version 2 of `track_table`. */
const Listed = Type.Unsafe<ListedTable>(
  Type.Union([
    WithConfiguration,
    { ...TableName, convert: (name: unknown): ListedTable => ({ table: { table: decode(TableName, name) } }) },
  ]),
)

/** All tables without `schemas` and `tables`. */
export const TrackTablesArgs = Type.Object(
  {
    schemas: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    tables: Type.Optional(Type.Array(Listed)),
    allow_warnings: Type.Optional(Type.Boolean()),
    source: SourceName,
  },
  {
    convert: (args: { readonly schemas?: unknown; readonly tables?: unknown }) => {
      if (args.schemas === undefined || args.tables === undefined) return args
      throw parseFailed('only one of tables/schemas should be present')
    },
  },
)

export const UntrackTableArgs = Type.Object({ table: TableName, cascade: Type.Optional(Type.Boolean()) })

/** One table of a list to untrack. */
export interface UntrackedTable {
  readonly table: QualifiedName
  readonly cascade?: boolean
  readonly source?: string
}

const ListedUntracked = Type.Unsafe<UntrackedTable>(
  Type.Union([
    Type.Object(
      { table: TableName, cascade: Type.Optional(Type.Boolean()), source: Type.Optional(Type.String()) },
      { missingKey: 'A' },
    ),
    { ...TableName, convert: (name: unknown): UntrackedTable => ({ table: decode(TableName, name) }) },
  ]),
)

export const UntrackTablesArgs = Type.Object({
  tables: Type.Array(ListedUntracked),
  allow_warnings: Type.Optional(Type.Boolean()),
  source: SourceName,
})

export const SetTableIsEnumArgs = Type.Object({ table: TableName, is_enum: Type.Boolean() })

export const SetTableCustomFieldsArgs = Type.Object({
  table: TableName,
  custom_root_fields: Type.Optional(CustomRootFields),
  custom_column_names: Type.Optional(CustomColumnNames),
})

/** `configuration` replaces that of the table. */
export const SetTableCustomizationArgs = Type.Object({ table: TableName, configuration: TableConfig })

const TableKey = Type.Object({ table: TableName }, { missingKey: 'A' })

/** Decodes nothing, but says in its own words that `table` is missing: for operations on parts of a table. */
export function requireTableKey(args: unknown): never {
  decode(TableKey, args)
  return args as never
}
