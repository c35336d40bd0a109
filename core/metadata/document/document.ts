// The document: the configuration that users write, exactly as it is exported. Plugins own its parts; each declares the
// type of its part in the SDK's registry.

import type { DocumentSlices, TableFacets } from '../../../sdk/registry.ts'
import type { QualifiedName } from '../../names/names.ts'

/** GraphQL names and descriptions that replace the generated ones; see `TableConfig` of the metadata's interface. */
export interface TableConfiguration {
  /** The name that types and root fields of the table are derived from. */
  custom_name?: string
  custom_root_fields: Partial<Record<RootFieldKey | LaterRootFieldKey, string | CustomField>>
  custom_column_names: Record<string, string>
  /** Custom names, which win over `custom_column_names`, and descriptions of columns. */
  column_config?: Record<string, { custom_name?: string; comment?: string }>
  /** The description of the row type; empty: no description. */
  comment?: string
}

/** Replaces a root field's generated name and description; an empty comment means no description. */
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

/** Further root fields that documents may name, even if no plugin provides them. */
export const laterRootFieldKeys = ['update_many', 'select_stream'] as const

export type LaterRootFieldKey = (typeof laterRootFieldKeys)[number]

/** One tracked table. Facets (relationships, permissions, ...) add their keys, each an optional array. */
export interface TableEntry extends TableFacets {
  table: QualifiedName
  is_enum?: boolean
  configuration?: TableConfiguration
}

/** The whole configuration: one key per slice. List slices hold their entries in any order; the export sorts them. */
export interface MetadataDocument extends DocumentSlices {
  tables: TableEntry[]
}
