// A statement over rows that are no table's: objects of JSON that the request has come by, such as the result of a call.

import type { PgType } from '../../catalog/types.ts'
import { id, join, param, type Sql, type Statement, sql, trusted } from '../../database/sql/sql.ts'
import type { Output } from '../plan/plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { type Frame, outputSql } from './select-sql.ts'

/** What becomes of each of a list of objects, whose members that `needs` names are the columns of the row at hand. */
export interface RowsGiven {
  readonly needs: Readonly<Record<string, PgType>>
  readonly output: Output
}

/** The slot of the parameters: one for each part, the JSON text of its list of objects. */
export const givenRowsSlot = 0

/** A statement answering a JSON array with an array for each part: the outputs of its objects, in their order. */
export function givenRowsStatement(parts: readonly RowsGiven[], options: PrinterOptions): Statement {
  const printer = new Printer(options)
  const lists = parts.map((part, i) => sql`(${listQuery(part, i, printer)})`)
  return printer.finish(sql`select '[' || ${join(lists, ` || ',' || `)} || ']' as j`)
}

function listQuery({ needs, output }: RowsGiven, index: number, printer: Printer): Sql {
  const row = printer.alias()
  const ordinal = id(printer.column())
  const frame: Frame = { row, joins: [], toOne: 'fenced' }
  const item = outputSql(output, frame, printer)
  const given = param({ from: 'slot', slot: givenRowsSlot, column: index }, 'json')
  const columns = Object.entries(needs)
  // PostgreSQL wants a column there, whether or not the output does.
  const defined = columns.length === 0 ? [[printer.column(), 'text'] as const] : columns.map(typeOf)
  const definitions = defined.map(([name, type]) => sql`${id(name)} ${trusted(type)}`)
  const names = defined.map(([name]) => id(name))
  const rows = sql`rows from (json_to_recordset(${given}) as (${join(definitions)})) with ordinality`
  const from = sql`${rows} as ${row} (${join([...names, ordinal])})`
  const list = sql`'[' || coalesce(string_agg(${item}, ',' order by ${row}.${ordinal}), '') || ']'`
  return sql`select ${list} from ${from}${join(frame.joins, '')}`
}

const typeOf = ([name, { sql: type }]: readonly [string, PgType]): readonly [string, string] => [name, type]
