// Columns as mutations write them: which ones a role may set, and their values as parameters.

import { columnCodec, type SchemaScope, type Value } from '../../../../sdk/graphql.ts'
import type { ColumnModel, TableModel } from '../../../../sdk/metadata.ts'
import { type Codec, type ParamOperand, textLiteralCodec } from '../../../../sdk/sql.ts'
import { exposedColumns } from '../row-type.ts'

/** The columns that a role may give when it inserts, by GraphQL name. */
export const insertableColumns = (scope: SchemaScope, table: TableModel): ReadonlyMap<string, ColumnModel> =>
  writableColumns(scope, table, scope.access(table.name)?.insert?.columns)

/** The columns that a role may change, by GraphQL name. */
export const updatableColumns = (scope: SchemaScope, table: TableModel): ReadonlyMap<string, ColumnModel> =>
  writableColumns(scope, table, scope.access(table.name)?.update?.columns)

/** Without the columns that PostgreSQL never lets be written. */
function writableColumns(
  scope: SchemaScope,
  table: TableModel,
  allowed: ReadonlySet<string> | undefined,
): ReadonlyMap<string, ColumnModel> {
  const exposed = exposedColumns(scope, table, allowed)
  // Most tables have no other column, and need no map of their own.
  for (const column of exposed.values()) {
    if (!isWritableColumn(column)) return new Map([...exposed].filter(([, each]) => isWritableColumn(each)))
  }
  return exposed
}

/** Whether PostgreSQL lets anybody give a value to a column. */
export const isWritableColumn = ({ column }: ColumnModel): boolean => !column.generated && column.identity !== 'a'

/** Refuses null for a column that has none, as far as GraphQL's own types are concerned. */
export function checkNull(scope: SchemaScope, column: ColumnModel, value: Value): void {
  if (value.isNull && !column.nullable && columnCodec(scope, column).expects) throw value.nullError()
}

/** A value that a request gives to a column. */
export function columnParam(scope: SchemaScope, column: ColumnModel, value: Value): ParamOperand {
  checkNull(scope, column, value)
  return value.param(writtenCodec(scope, column), column.type.sql) as ParamOperand
}

/** The codec of values that a request gives to a column. With interface 2, texts may stand for numbers and booleans. */
export function writtenCodec(scope: SchemaScope, column: ColumnModel): Codec {
  const codec = columnCodec(scope, column)
  return scope.settings.graphqlInterface === '2' ? textLiteralCodec(codec) : codec
}
