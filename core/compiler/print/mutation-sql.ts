// INSERT, UPDATE and DELETE as SQL. The caller defines the returned expressions. A permission's check wraps the first
// of them, so that no unchecked row is returned.

import { empty, id, integer, join, literal, param, type Sql, sql, trusted, typed } from '../../database/sql/sql.ts'
import { updateSql } from '../plan/mutation-operators.ts'
import type { Change, ColumnValue, Insert, InsertRows, OnConflict, RowCheck, Update } from '../plan/mutation-plan.ts'
import type { Condition } from '../plan/plan.ts'
import type { Printer } from '../printer.ts'
import { columnSql, conditionSql, isTrue, operandSql, tableSql } from './condition-sql.ts'

/** Expressions over the affected row, named `j0`, `j1`…; the first must be a text if the change is checked. */
export type Returning = (row: Sql) => readonly [Sql, ...Sql[]]

/** Returned if only the check of a row matters. */
export const noText = sql`null::text`

/** A statement that changes rows and returns expressions of each; a deletion returns the row as it was. */
export function changeSql(change: Change, returning: Returning, printer: Printer): Sql {
  const row = printer.alias()
  const body = changeBody(change, row, printer)
  return sql`${body}${returningSql(change.kind === 'delete' ? null : change.check, returning, row, printer)}`
}

/** The clause that returns expressions of the changed row, the first of them only if the row passes the check. */
export function returningSql(check: RowCheck | null, returning: Returning, row: Sql, printer: Printer): Sql {
  const [first, ...others] = returning(row)
  const guard = check ? guardSql(check, first, row, printer) : { value: first, options: empty }
  const items = [guard.value, ...others].map((item, i) => sql`${item} as ${trusted(`j${i}`)}`)
  return sql` returning ${guard.options}${join(items)}`
}

function changeBody(change: Change, row: Sql, printer: Printer): Sql {
  switch (change.kind) {
    case 'insert':
      return insertSql(change, row, printer)
    case 'update':
      return sql`update ${tableSql(change.table)} as ${row} set ${assignmentsSql(change, row)}${whereSql(change.where, row, printer)}`
    case 'delete':
      return sql`delete from ${tableSql(change.table)} as ${row}${whereSql(change.where, row, printer)}`
    default:
      return change satisfies never
  }
}

function whereSql(where: Condition, row: Sql, printer: Printer): Sql {
  const condition = conditionSql(where, row, printer)
  return isTrue(condition) ? empty : sql` where ${condition}`
}

function assignmentsSql({ assignments }: Update, row: Sql): Sql {
  const items = assignments.map(({ column, operator, value, build }) => {
    const old = columnSql(row, column)
    return sql`${id(column)} = ${build ? build(old) : updateSql(operator, old, operandSql(value, row))}`
  })
  return join(items)
}

function insertSql({ table, rows, onConflict }: Insert, row: Sql, printer: Printer): Sql {
  const conflict = onConflict ? conflictSql(onConflict, row, printer) : empty
  return sql`insert into ${tableSql(table)} as ${row}${rowsSql(rows, printer)}${conflict}`
}

function rowsSql(rows: InsertRows, printer: Printer): Sql {
  if (rows.kind === 'arrays') return arraysSql(rows, printer)
  // Without columns, each row consists of defaults.
  if (rows.columns.length === 0) return sql` select from generate_series(1, ${integer(rows.rows.length)})`
  const tuples = rows.rows.map((values) => {
    return sql`(${join(values.map((value) => (value ? param(value.source, value.type) : sql`default`)))})`
  })
  return sql` (${join(rows.columns.map((column) => id(column)))}) values ${join(tuples)}`
}

function arraysSql({ arrays, constants }: Extract<InsertRows, { kind: 'arrays' }>, printer: Printer): Sql {
  const set = printer.alias()
  const columns = [...arrays, ...constants].map(({ column }) => id(column))
  const names = arrays.map((_, i) => trusted(`c${i}`))
  const values = [
    ...arrays.map(({ type }, i) => typed(sql`${set}.${names[i]!}`, type)),
    ...constants.map(({ value }) => param(value.source, value.type)),
  ]
  const sources = arrays.map(({ source }) => param(source, 'text[]'))
  return sql` (${join(columns)}) select ${join(values)} from unnest(${join(sources)}) as ${set}(${join(names)})`
}

function conflictSql({ constraint, update }: OnConflict, row: Sql, printer: Printer): Sql {
  const target = sql` on conflict${conflictTarget(constraint)}`
  if (!update) return sql`${target} do nothing`
  const items = [
    ...update.columns.map((column) => sql`${id(column)} = excluded.${id(column)}`),
    ...update.presets.map(({ column, value }: ColumnValue) => sql`${id(column)} = ${param(value.source, value.type)}`),
  ]
  return sql`${target} do update set ${join(items)}${whereSql(update.where, row, printer)}`
}

function conflictTarget(constraint: OnConflict['constraint']): Sql {
  if (constraint === null) return empty
  if (typeof constraint === 'string') return sql` on constraint ${id(constraint)}`
  return sql` (${join(constraint.map((column) => id(column)))})`
}

/** The first version of PostgreSQL with `returning old`. */
const returningOld = 18

/** `value` for rows that pass the check; other rows make the statement fail. */
function guardSql(check: RowCheck, value: Sql, row: Sql, printer: Printer): { value: Sql; options: Sql } {
  const condition = conditionSql(check.condition, row, printer)
  if (!check.updated) {
    return { value: checkedSql(condition, value, violation(check.kind)), options: empty }
  }
  const old = printer.options.serverVersion >= returningOld ? printer.alias() : null
  // `xmax` is not always available in rows of partitioned tables. `is null` would also hold for a row of nulls.
  const isNew = old ? sql`(${old}.*) is not distinct from null` : sql`${row}.xmax = 0`
  const updated = conditionSql(check.updated, row, printer)
  const holds = sql`case when ${isNew} then ${condition} else ${updated} end`
  const message = sql`case when ${isNew} then ${violation('insert')} else ${violation('update')} end`
  return { value: checkedSql(holds, value, message), options: old ? sql`with (old as ${old}) ` : empty }
}

const violation = (kind: RowCheck['kind']): Sql => literal(`${kind} check constraint failed`)

const checkedSql = (condition: Sql, value: Sql, message: Sql): Sql =>
  sql`case when ${condition} then ${value} else trellis.check_violation(${message})::text end`
