// Columns as mutations write them: which ones a role may set, and their values as parameters.

import { columnCodec, type SchemaScope, type Value } from '../../../sdk/graphql.ts'
import type { ColumnModel, PresetValue, TableModel } from '../../../sdk/metadata.ts'
import { type ColumnValue, inputType, type ParamOperand, type ParamSource } from '../../../sdk/sql.ts'
import { exposedColumns } from './row-type.ts'

/** The columns that a role may give when it inserts, by GraphQL name. */
export const insertableColumns = (scope: SchemaScope, table: TableModel): ReadonlyMap<string, ColumnModel> =>
  writableColumns(scope, table, scope.access(table.name)?.insert?.columns)

/** The columns that a role may change, by GraphQL name. */
export const updatableColumns = (scope: SchemaScope, table: TableModel): ReadonlyMap<string, ColumnModel> =>
  writableColumns(scope, table, scope.access(table.name)?.update?.columns)

/** Without the columns to which PostgreSQL lets nobody write. */
function writableColumns(
  scope: SchemaScope,
  table: TableModel,
  allowed: ReadonlySet<string> | undefined,
): ReadonlyMap<string, ColumnModel> {
  const columns = [...exposedColumns(scope, table, allowed)]
  return new Map(columns.filter(([, { column }]) => !column.generated && column.identity !== 'a'))
}

/** Refuses null for a column that has none, as far as GraphQL's own types are concerned. */
export function checkNull(scope: SchemaScope, column: ColumnModel, value: Value): void {
  if (value.isNull && !column.nullable && columnCodec(scope, column).expects) throw value.nullError()
}

/** A value that a request gives to a column. */
export function columnParam(scope: SchemaScope, column: ColumnModel, value: Value): ParamOperand {
  checkNull(scope, column, value)
  return value.param(columnCodec(scope, column), column.type.sql) as ParamOperand
}

/** The values that a permission gives to columns. */
export function presetValues(
  scope: SchemaScope,
  table: TableModel,
  presets: ReadonlyMap<string, PresetValue>,
): ColumnValue[] {
  return [...presets].map(([name, preset]) => {
    const column = table.columns.get(name)!
    const source = presetSource(scope, column, preset)
    const type = inputType(columnCodec(scope, column), column.type.sql)
    return { column: name, value: { kind: 'param', source, type } }
  })
}

function presetSource(scope: SchemaScope, column: ColumnModel, preset: PresetValue): ParamSource {
  if (preset.kind === 'session') return { from: 'session', variable: preset.variable }
  const { value } = preset
  return { from: 'constant', value: value === null ? null : columnCodec(scope, column).encode(value) }
}
