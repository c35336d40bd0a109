// The structure of one table.

import { queryOptions } from '@tanstack/react-query'
import { memberOf } from '../../base/members.ts'
import type { TableName } from '../../server/names.ts'
import { run } from '../../server/operations.ts'

/** A column of a table. */
export interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly description: string | null
  readonly insertable: boolean
  readonly updatable: boolean
}

/** A table as the database has it. */
export interface TableInfo {
  readonly name: TableName
  readonly kind: string
  readonly description: string | null
  readonly columns: readonly ColumnInfo[]
  readonly primary_key: readonly string[] | null
  readonly unique_keys: Readonly<Record<string, readonly string[]>>
  readonly foreign_keys: Readonly<
    Record<string, { readonly foreign_table: TableName; readonly column_mapping: Readonly<Record<string, string>> }>
  >
  readonly referenced_by: readonly {
    readonly table: TableName
    readonly constraint: string
    readonly column_mapping: Readonly<Record<string, string>>
    readonly on_delete: string
  }[]
  readonly check_constraints: readonly { readonly name: string; readonly definition: string }[]
  readonly defaults: Readonly<Record<string, string>>
  readonly enum_values: Readonly<Record<string, readonly string[]>>
  readonly indexes: readonly {
    readonly name: string
    readonly definition: string
    /** Null: an expression. */
    readonly columns: readonly (string | null)[]
    readonly is_unique: boolean
    readonly is_primary: boolean
    readonly is_valid: boolean
    readonly bytes: number
    readonly scans: number
  }[]
  readonly triggers: readonly { readonly name: string; readonly definition: string }[]
  readonly row_level_security: { readonly is_enabled: boolean; readonly policies: readonly unknown[] }
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
}

/** `pg_get_table_info` with details. */
export const tableInfoQuery = (table: TableName) =>
  queryOptions({
    queryKey: ['table-info', table.schema, table.name],
    queryFn: ({ signal }) => run<TableInfo>('pg_get_table_info', { table, details: true }, { signal }),
  })

/** The default of a column; undefined without one. */
export const defaultOf = ({ defaults }: Pick<TableInfo, 'defaults'>, column: string): string | undefined =>
  memberOf(defaults, column)
