// The check of a permission as a statement of its own, for rows that a change has returned. Citus allows no function
// among returned values that could refuse a row.

import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import { sql } from '../../database/sql/sql.ts'
import { readsOtherRows } from '../plan/distributed.ts'
import type { Change, RowCheck } from '../plan/mutation-plan.ts'
import { usedColumns } from '../plan/used-columns.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { conditionSql } from './condition-sql.ts'
import { type Needed, returnedRows } from './returned-rows.ts'

/** A statement that yields a row if one of the returned rows fails the check. */
export interface RowCheckProgram {
  readonly kind: RowCheck['kind']
  readonly statement: PreparedStatement
  /** The parts of the rows that it takes; the change returns them first. */
  readonly needed: Needed
  /** The place of the column that has the same value in all rows of a run; null: all rows are checked at once. */
  readonly sole: number | null
}

/** The check of a change of a distributed table; null if PostgreSQL checks the rows within the change. */
export function rowCheckProgram(change: Change, options: PrinterOptions): RowCheckProgram | null {
  const { distributed, table } = change
  if (!distributed || change.kind === 'delete' || !change.check) return null
  const { condition, kind } = change.check
  const printer = new Printer(options)
  const row = printer.alias()
  const holds = conditionSql(condition, row, printer)
  const { needed, sole } = placedColumns(usedColumns(row, [holds]), distributed, readsOtherRows(condition))
  const rows = returnedRows(needed, table, { printer, sole })
  const query = sql`select '' as j from ${rows} as ${row} where (${holds}) is not true limit 1`
  return { kind, statement: prepare(printer.finish(query)), needed, sole }
}

/** The columns with their types. If related rows are read too, the column that places the rows is among them. */
export function placedColumns(
  names: readonly string[] | null,
  { column, columns }: NonNullable<Change['distributed']>,
  isRelated: boolean,
): { readonly needed: Needed; readonly sole: number | null } {
  if (names === null) return { needed: 'whole', sole: null }
  const isPlaced = isRelated && column !== null
  const all = isPlaced && !names.includes(column) ? [...names, column] : names
  const needed = all.map((name) => ({ name, type: columns.get(name)!.type }))
  return { needed, sole: isPlaced ? all.indexOf(column) : null }
}
