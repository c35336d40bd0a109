// Prints a call of a function as two statements: the call, and the answer from the rows that it returned.

import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import { sql } from '../../database/sql/sql.ts'
import type { Path } from '../../errors/path.ts'
import type { CallPlan } from '../plan/call-plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { tableSql } from './condition-sql.ts'
import { rootStatement } from './root-sql.ts'
import type { Envelope } from './select-sql.ts'

/** A call, then a statement that builds the answer. */
export interface CallProgram {
  readonly kind: 'call'
  /** Returns the rows as one array. */
  readonly statement: PreparedStatement
  readonly answering: PreparedStatement
  /** The answer if the last statement yields no row. */
  readonly whenEmpty: string
  readonly path: Path | null
}

/** Prints a plan; the answer is the member `key` in an envelope. */
export function callProgram(
  { table, call, output, path }: CallPlan,
  key: string,
  { envelope, options }: { readonly envelope: Envelope; readonly options: PrinterOptions },
): CallProgram {
  const printer = new Printer(options)
  const row = printer.alias()
  printer.follow(table)
  const rows = sql`select array_agg((${row}.*)::${tableSql(table)})::text from ${call(row, printer)} as ${row}`
  const answering = rootStatement([{ key, output }], envelope, options)
  return {
    kind: 'call',
    statement: prepare(printer.finish(rows)),
    answering: prepare(answering),
    whenEmpty: answering.whenEmpty,
    path,
  }
}
