// The document: what users configured, exactly as it is exported. Plugins own its parts; each declares the type of its
// part by augmenting the interfaces here (`declare module '../../core/metadata/document.ts'`).

import type { QualifiedName } from '../names.ts'

/** GraphQL names that replace the generated ones; see `TableConfig` of the metadata's interface. */
export interface TableConfiguration {
  custom_root_fields: Partial<Record<RootFieldKey, string>>
  custom_column_names: Record<string, string>
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

/** One tracked table. Facets (relationships, permissions, ...) add their keys, each an optional array. */
export interface TableEntry {
  table: QualifiedName
  is_enum?: boolean
  configuration?: TableConfiguration
}

/** Everything that is configured: one key per slice. List slices hold their entries in any order; export sorts. */
export interface MetadataDocument {
  tables: TableEntry[]
}
