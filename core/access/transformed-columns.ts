// Columns that a role reads in another form than the stored one: transformed ones, and those that it sees in some rows
// only. They are missing from its `columns`, so they take part in no condition, order, key or aggregate unless code asks
// for transformed columns.

import type { Condition, Output, SqlBuilder } from '../compiler/plan/plan.ts'
import { detached } from '../compiler/plan/scope.ts'
import { columnSql, conditionSql } from '../compiler/print/condition-sql.ts'
import { columnJson } from '../compiler/print/json-sql.ts'
import { join, literal, sql } from '../database/sql/sql.ts'
import { badRequest, TrellisError } from '../errors/errors.ts'
import type {
  ColumnModel,
  ColumnPlace,
  ColumnReading,
  ColumnTransform,
  TableModel,
} from '../metadata/document/model.ts'
import { type FormsByRow, type Reader, type RowForm, readingOf, rowReading } from './forms.ts'

/** A column and the form in which a role reads it. */
export interface TransformedColumn {
  readonly column: ColumnModel
  readonly place: ColumnPlace
  /** Null: the column is an ordinary one in the rows where the role sees it. */
  readonly transform: ColumnTransform | null
  readonly reading: ColumnReading | FormsByRow
  /** The rows in which the role sees it; null: all. */
  readonly mask: Condition | null
}

/** The columns of a select permission, as the role reads them. */
export interface ReadColumns {
  /** The ordinary columns. */
  readonly columns: ReadonlySet<string>
  readonly transformed: ReadonlyMap<string, TransformedColumn>
}

const none: ReadonlyMap<string, TransformedColumn> = new Map()

/** Divides the columns that a role may select. */
export function readColumns(selected: ReadonlySet<string>, table: TableModel, reader: Reader): ReadColumns {
  const transformed = new Map<string, TransformedColumn>()
  for (const column of table.columns.values()) {
    const { name, transform } = column
    const mask = reader.composed?.masks.get(name) ?? null
    if (!selected.has(name) && !mask) continue
    const reading = transform ? readingOf(transform, { table, column }, reader) : 'stored'
    const isOrdinary = reading === 'stored' && !transform?.write
    if (isOrdinary && !mask) continue
    const form = { transform: isOrdinary ? null : transform!, reading: mask ? inSomeRows(reading) : reading, mask }
    transformed.set(name, { column, place: { table: table.name, column: name }, ...form })
  }
  if (transformed.size === 0) return { columns: selected, transformed: none }
  return { columns: new Set([...selected].filter((name) => !transformed.has(name))), transformed }
}

const inSomeRows = (reading: ColumnReading | FormsByRow): ColumnReading | FormsByRow =>
  typeof reading === 'object' && 'byRow' in reading ? reading : rowReading(reading)

/** The value of an ordinary column that the role sees in some rows only; null: it is another one. */
export function maskedValue({ column, transform, mask }: TransformedColumn): SqlBuilder | null {
  return mask && !transform ? onlyWhere(mask, (row) => columnSql(row, column.name)) : null
}

/** A value in rows that fulfil a condition; null in all others. */
export function onlyWhere(mask: Condition, value: SqlBuilder): SqlBuilder {
  const given = conditionBuilder(mask)
  return (row, printer) => sql`(case when ${given(row, printer)} then ${value(row, printer)} end)`
}

/** A condition as a fragment that may stand in expressions. */
export const conditionBuilder =
  (condition: Condition): SqlBuilder =>
  (row, printer) =>
    conditionSql(condition, row, printer, detached(printer.scope()))

/** Whether a condition reads only columns of its row. */
function isOnColumns(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.every(isOnColumns)
    case 'not':
    case 'rooted':
      return isOnColumns(condition.of)
    case 'related':
    case 'exists':
    case 'sql':
      return false
    default:
      return true
  }
}

/** Whether the role may compare the column for equality. */
export const isComparable = ({ reading }: Pick<TransformedColumn, 'reading'>): boolean =>
  typeof reading === 'object' && 'comparable' in reading && reading.comparable === true

/** Whether the role may tell which stored values of a column are equal. */
export const mayCompare = (read: ReadColumns | null, { name, transform }: ColumnModel): boolean => {
  if (!transform || read?.columns.has(name)) return true
  const seen = read?.transformed.get(name)
  return seen !== undefined && isComparable(seen)
}

/** The operators of a comparable column. */
export const equalityOperators: ReadonlySet<string> = new Set(['_eq', '_neq', '_in', '_nin', '_is_null'])

/** Whether JavaScript makes the value, with {@link readValue} on the column's {@link transformedOutput}. */
export const isReadByFunction = ({ reading }: TransformedColumn): boolean =>
  typeof reading === 'object' && 'value' in reading

/** The output of the column for the role; `path` selects a part of a json value. */
export function transformedOutput(
  { column, reading, mask }: TransformedColumn,
  path: readonly string[] | null = null,
): Output {
  const { name, type } = column
  if (reading === 'hidden') return { kind: 'json', text: 'null' }
  if (typeof reading === 'object' && 'byRow' in reading) return outputByRow(column, reading.byRow, path)
  if (mask) return outputByRow(column, [{ reading: rowReading(reading), rows: mask }], path)
  if (reading === 'stored' || 'value' in reading) return { kind: 'column', column: name, type, path }
  return {
    kind: 'sql',
    columnsOnly: true,
    build: (row, { options }) => columnJson(sql`(${reading.sql(columnSql(row, name))})`, { type, path }, options),
  }
}

/** In each row, the first form whose rows have it; null in rows of no form. */
function outputByRow({ name, type }: ColumnModel, forms: readonly RowForm[], path: readonly string[] | null): Output {
  return {
    kind: 'sql',
    columnsOnly: forms.every(({ rows }) => isOnColumns(rows)),
    build(row, printer) {
      const stored = columnSql(row, name)
      const cases = forms.map(({ reading, rows }) => {
        const value = typeof reading === 'object' ? sql`(${reading.sql(stored)})` : stored
        const json = reading === 'hidden' ? literal('null') : columnJson(value, { type, path }, printer.options)
        return sql`when ${conditionBuilder(rows)(row, printer)} then ${json}`
      })
      return sql`case ${join(cases, ' ')} else 'null' end`
    },
  }
}

/** The value for the role, of a stored one; an error if the stored value cannot be read. */
export function readValue({ column, place, reading }: TransformedColumn, stored: unknown): unknown {
  if (typeof reading !== 'object' || !('value' in reading) || typeof stored !== 'string') return null
  try {
    const value: unknown = reading.value(stored, place)
    if (typeof value === 'string' || value === null) return value
    throw new Error(`the value is of type ${typeof value}`)
  } catch (error) {
    if (error instanceof TrellisError) return error
    return badRequest('data-exception', `the value of the column "${column.name}" cannot be read`, { cause: error })
  }
}
