// Transformed columns as a role reads them. A column that a role does not read as an ordinary one is missing from its
// `columns`. So it takes part in no condition, order, key or aggregate unless code asks for transformed columns.

import type { Output } from '../compiler/plan/plan.ts'
import { columnSql } from '../compiler/print/condition-sql.ts'
import { columnJson } from '../compiler/print/json-sql.ts'
import { sql } from '../database/sql/sql.ts'
import { badRequest, TrellisError } from '../errors/errors.ts'
import { messageOf } from '../errors/thrown.ts'
import type {
  ColumnModel,
  ColumnPlace,
  ColumnReading,
  ColumnTransform,
  Model,
  TableModel,
} from '../metadata/document/model.ts'
import { isTextColumn } from '../metadata/resolving/column-transforms.ts'
import { nameText } from '../names/names.ts'

/** A column and the form in which a role reads it. */
export interface TransformedColumn {
  readonly column: ColumnModel
  readonly place: ColumnPlace
  readonly transform: ColumnTransform
  readonly reading: ColumnReading
}

/** The columns of a select permission, as the role reads them. */
export interface ReadColumns {
  /** The ordinary columns. */
  readonly columns: ReadonlySet<string>
  readonly transformed: ReadonlyMap<string, TransformedColumn>
}

const none: ReadonlyMap<string, TransformedColumn> = new Map()

/** Divides the columns that a role may select. */
export function readColumns(
  selected: ReadonlySet<string>,
  table: TableModel,
  reader: { readonly role: string; readonly model: Model },
): ReadColumns {
  const transformed = new Map<string, TransformedColumn>()
  for (const column of table.columns.values()) {
    const { transform } = column
    if (!transform || !selected.has(column.name)) continue
    const reading = readingOf(transform, column, table, reader)
    if (reading !== 'stored' || transform.write)
      transformed.set(column.name, { column, place: { table: table.name, column: column.name }, transform, reading })
  }
  if (transformed.size === 0) return { columns: selected, transformed: none }
  return { columns: new Set([...selected].filter((name) => !transformed.has(name))), transformed }
}

function readingOf(
  transform: ColumnTransform,
  column: ColumnModel,
  table: TableModel,
  { role, model }: { readonly role: string; readonly model: Model },
): ColumnReading {
  const failed = (reason: string, cause?: unknown) => {
    const place = `the column "${column.name}" of table "${nameText(table.name)}"`
    return new Error(`the transformation "${transform.name}" failed for ${place}: ${reason}`, { cause })
  }
  let reading: ColumnReading
  try {
    reading = transform.read({ role, table, column, model })
  } catch (error) {
    throw failed(messageOf(error), error)
  }
  const isForm = typeof reading === 'object' && reading !== null && ('sql' in reading || 'value' in reading)
  if (!isForm && reading !== 'stored' && reading !== 'hidden') throw failed('"read" returned no form of reading')
  if (typeof reading === 'object' && 'value' in reading && !isTextColumn(column.column)) {
    throw failed(`it reads texts, but the column is of type "${column.type.name}"`)
  }
  if (isComparable({ reading }) && transform.write && !transform.compareAs) {
    throw failed('a comparable column with "write" needs "compareAs"')
  }
  return reading
}

/** Whether the role may compare the column for equality. */
export const isComparable = ({ reading }: Pick<TransformedColumn, 'reading'>): boolean =>
  typeof reading === 'object' && reading.comparable === true

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
  { column, reading }: TransformedColumn,
  path: readonly string[] | null = null,
): Output {
  const { name, type } = column
  if (reading === 'hidden') return { kind: 'json', text: 'null' }
  if (reading === 'stored' || 'value' in reading) return { kind: 'column', column: name, type, path }
  return {
    kind: 'sql',
    columnsOnly: true,
    build: (row, { options }) => columnJson(sql`(${reading.sql(columnSql(row, name))})`, { type, path }, options),
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
