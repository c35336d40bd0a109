// Values that a request gives to columns.

import { within } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import { inputType, type ParamOperand, type ParamSource } from '../../sdk/sql.ts'
import { columnCodec } from '../permissions/index.ts'
import { type Caller, parsing } from './caller.ts'

/** Whether PostgreSQL lets anybody give the column a value. */
export const isWritable = ({ column }: ColumnModel): boolean => !column.generated && column.identity !== 'a'

function encoded(value: unknown, column: ColumnModel, caller: Caller): ParamSource {
  const codec = columnCodec(column, column.type, caller.expressions)
  return { from: 'constant', value: value === null ? null : codec.encode(value) }
}

function columnParam(source: ParamSource, column: ColumnModel, caller: Caller): ParamOperand {
  const codec = columnCodec(column, column.type, caller.expressions)
  return { kind: 'param', source, type: inputType(codec, column.type.sql) }
}

/** A value of the request, below the name of its column. */
export const writtenValue = (value: unknown, column: ColumnModel, caller: Caller): ParamOperand => {
  const source = within(column.name, () => parsing(() => encoded(value, column, caller)))
  return columnParam(source, column, caller)
}
