// Rows that one statement returned and another takes as parameters: its own slot holds an array for each column.

import type { PgType } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import { id, join, param, type Sql, sql, trusted, typed } from '../../database/sql/sql.ts'
import type { QualifiedName } from '../../names/names.ts'
import { rowsType } from '../plan/call-plan.ts'
import { answerSlot } from '../plan/mutation-plan.ts'
import type { Printer } from '../printer.ts'
import { columnSql, tableSql } from './condition-sql.ts'

/** The parts of the rows that a statement needs: some columns, or the whole rows. */
export type Needed = readonly ColumnNeeded[] | 'whole'

export interface ColumnNeeded {
  readonly name: string
  readonly type: PgType
}

/** The expressions that return these parts of a row. */
export function neededSql(needed: Needed | null, table: QualifiedName, row: Sql): Sql[] {
  if (needed === 'whole') return [sql`(${row}.*)::${tableSql(table)}`]
  return (needed ?? []).map(({ name }) => columnSql(row, name))
}

/** A parameter of that slot; the first is the number of affected rows. */
export const answerParam = (column: number): ParamSource => ({ from: 'slot', slot: answerSlot, column })

/** The rows as a source of a query. */
export function returnedRows(
  needed: Needed,
  table: QualifiedName,
  { printer, sole }: { readonly printer: Printer; readonly sole: number | null },
): Sql {
  return needed === 'whole' ? wholeRows(table, printer) : rowsOfColumns(needed, printer, sole)
}

function wholeRows(table: QualifiedName, printer: Printer): Sql {
  printer.follow(table)
  return sql`unnest(${param(answerParam(1), rowsType(table))})`
}

/**
 * If the statement needs no column, a column of nulls keeps the number of rows. The column `sole` has the same value in
 * all rows, which is a parameter of its own: Citus needs it to find the one machine of related rows.
 */
function rowsOfColumns(needed: readonly ColumnNeeded[], printer: Printer, sole: number | null): Sql {
  const set = printer.alias()
  const count = Math.max(needed.length, 1)
  const values = needed.map(({ name, type }, i) => {
    const value = i === sole ? param(answerParam(count + 1), type.sql) : typed(sql`${set}.${handedOver(i)}`, type.sql)
    return sql`${value} as ${id(name)}`
  })
  const arrays = Array.from({ length: count }, (_, i) => param(answerParam(i + 1), 'text[]'))
  const names = arrays.map((_, i) => handedOver(i))
  return sql`(select ${join(values)} from unnest(${join(arrays)}) as ${set}(${join(names)}))`
}

const handedOver = (index: number): Sql => trusted(`c${index}`)
