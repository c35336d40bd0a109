// A statement over JSON objects that the request has received, such as the result of a call, instead of a table's rows.

import type { PgType } from '../../catalog/types.ts'
import { id, join, param, type Sql, type Statement, sql, trusted } from '../../database/sql/sql.ts'
import type { Output } from '../plan/plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { type Frame, outputSql } from './select-sql.ts'

/** An output for each object of a list; the members that `needs` names are the columns of the current row. */
export interface RowsGiven {
  readonly needs: Readonly<Record<string, PgType>>
  readonly output: Output
}

/** The slot of the parameters: for each part the JSON text of its list of objects. */
export const givenRowsSlot = 0

/** A statement that yields a JSON array, with the array of outputs for each part in the order of its objects. */
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
  // PostgreSQL requires a column there, even if the output uses none.
  const defined = columns.length === 0 ? [[printer.column(), 'text'] as const] : columns.map(typeOf)
  const definitions = defined.map(([name, type]) => sql`${id(name)} ${trusted(type)}`)
  const names = defined.map(([name]) => id(name))
  const rows = sql`rows from (json_to_recordset(${given}) as (${join(definitions)})) with ordinality`
  const from = sql`${rows} as ${row} (${join([...names, ordinal])})`
  const list = sql`'[' || coalesce(string_agg(${item}, ',' order by ${row}.${ordinal}), '') || ']'`
  return sql`select ${list} from ${from}${join(frame.joins, '')}`
}

const typeOf = ([name, { sql: type }]: readonly [string, PgType]): readonly [string, string] => [name, type]
