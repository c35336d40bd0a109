// The document: what users configured, exactly as it is exported. Plugins own its parts; each declares the type of its
// part in the SDK's registry.

import type { DocumentSlices, TableFacets } from '../../../sdk/registry.ts'
import type { QualifiedName } from '../../names/names.ts'

/** GraphQL names and descriptions that replace the generated ones; see `TableConfig` of the metadata's interface. */
export interface TableConfiguration {
  /** What names of types and root fields are made of. */
  custom_name?: string
  custom_root_fields: Partial<Record<RootFieldKey | LaterRootFieldKey, string | CustomField>>
  custom_column_names: Record<string, string>
  /** The same for columns as `custom_column_names`, over which it counts, and their descriptions. */
  column_config?: Record<string, { custom_name?: string; comment?: string }>
  /** The description of the rows' type; empty: none. */
  comment?: string
}

/** What replaces a root field's generated name and description; an empty comment means no description. */
export interface CustomField {
  name?: string
  comment?: string
}

export const rootFieldKeys = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'delete',
  'delete_by_pk',
] as const

export type RootFieldKey = (typeof rootFieldKeys)[number]

/** Root fields beside these that documents may name, whether or not a plugin gives such fields. */
export const laterRootFieldKeys = ['update_many', 'select_stream'] as const

export type LaterRootFieldKey = (typeof laterRootFieldKeys)[number]

/** One tracked table. Facets (relationships, permissions, ...) add their keys, each an optional array. */
export interface TableEntry extends TableFacets {
  table: QualifiedName
  is_enum?: boolean
  configuration?: TableConfiguration
}

/** Everything that is configured: one key per slice. List slices hold their entries in any order; export sorts. */
export interface MetadataDocument extends DocumentSlices {
  tables: TableEntry[]
}
