// The statement of a stream: the rows after a subscriber's position, and the next position.

import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'
import {
  type Condition,
  comparableSql,
  comparisonSql,
  concat,
  type Frame,
  id,
  integer,
  isAbsentSql,
  isComparedByMembers,
  isRowType,
  isThereSql,
  join,
  type Operand,
  type OrderItem,
  type Output,
  operandSql,
  outputSql,
  type Printer,
  param,
  type Rows,
  rowComparisonSql,
  rowSet,
  type Sql,
  sql,
  trusted,
  usedList,
} from '../../sdk/sql.ts'
import { positionSource, withPosition } from '../subscriptions/index.ts'

/** The order of a stream, and its start. */
export interface StreamOrder {
  readonly column: ColumnModel
  /** The initial cursor value, exclusive; null: from the beginning. */
  readonly from: Operand | null
  readonly direction: 'asc' | 'desc'
}

export interface StreamBatch {
  /** The rows after the position in the order of the stream, without a limit. */
  readonly rows: Rows
  readonly output: Output
  /** The columns of the position. */
  readonly columns: readonly ColumnModel[]
  readonly size: number
  readonly isKeyed: boolean
  readonly direction: StreamOrder['direction']
}

/** The cursor column, then the primary key, which distinguishes rows with the same cursor value. */
export function positionColumns({ primaryKey, columns }: TableModel, { column }: StreamOrder): readonly ColumnModel[] {
  const key = (primaryKey?.columns ?? []).flatMap((name) => columns.get(name) ?? [])
  return [column, ...key.filter(({ name }) => name !== column.name)]
}

/** The order of the rows. */
export const streamOrder = (columns: readonly ColumnModel[], { direction }: StreamOrder): readonly OrderItem[] =>
  columns.map(({ name }) => ({
    target: { kind: 'column', column: name },
    direction,
    nulls: direction === 'asc' ? 'last' : 'first',
  }))

/** The condition that a row comes after the position, or after the initial value while there is no position. */
export const behindPosition = (
  columns: readonly ColumnModel[],
  { column, from, direction }: StreamOrder,
): Condition => ({
  kind: 'sql',
  build(row, printer) {
    const types = columns.map(({ type }) => type)
    const isAscending = direction === 'asc'
    const values = columns.map(({ name, type }) => comparableSql(sql`${row}.${id(name)}`, type))
    const position = columns.map(({ type }, i) => param(positionSource(i), type.sql))
    const [value] = values
    const [reached] = position
    const isBehind = rowComparisonSql(isAscending ? '>' : '<', types, [values, position])
    const isRow = isRowType(column.type)
    const isFirst = isAbsentSql(reached!, isRow)
    if (!from) return sql`${isThereSql(value!, isRow)} and (${isFirst} or ${isBehind})`
    const initial = operandSql(from, row)
    const atLeast = comparisonSql(isAscending ? '>=' : '<=', column.type)
    const behind = comparisonSql(isAscending ? '>' : '<', column.type)
    printer.try(isComparedByMembers(column.type) ? sql`${initial} ${atLeast} ${initial}` : initial)
    // An index can serve the first comparison.
    const bound = sql`${value!} ${atLeast} coalesce(${reached!}, ${initial})`
    return sql`${bound} and case when ${isFirst} then ${value!} ${behind} ${initial} else ${isBehind} end`
  },
})

/** A batch as a JSON array. Without a primary key, a batch includes all rows with the last cursor value and may be larger. */
export function batchSql(batch: StreamBatch, printer: Printer): Sql {
  const { output, columns, isKeyed } = batch
  const first = isKeyed ? firstRows : printer.options.serverVersion >= withTies ? firstWithTies : firstInPlaces
  const page = printer.alias()
  const frame: Frame = { row: page, joins: [], toOne: 'fenced' }
  const item = outputSql(output, frame, printer)
  const array = concat(['[', sql`coalesce(string_agg(${item}, ','), '')`, ']'])
  const position = columns.map(({ name }) => sql`${page}.${id(name)}`)
  const answer = withPosition(array, position)
  const rows = first(batch, printer, (row) => usedList(row, { as: page, fragments: [answer, ...frame.joins] }))
  return sql`select ${answer} from (${rows}) as ${page}${join(frame.joins, '')}`
}

/** The columns of a row that the batch needs. */
type ColumnList = (row: Sql) => Sql

/** The rows of a batch without a limit, and the limit. */
function unbounded({ rows, size }: StreamBatch, printer: Printer) {
  const set = rowSet({ ...rows, limit: null, permissionLimit: null }, printer, null)
  return { set, most: integer(Math.min(size, rows.permissionLimit ?? size)) }
}

function firstRows(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  return sql`select ${columns(set.row)} ${set.from}${set.tail} limit ${most}`
}

/** The version with `with ties`. */
const withTies = 13

function firstWithTies(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  return sql`select ${columns(set.row)} ${set.from}${set.tail} fetch first ${most} rows with ties`
}

/** The column with the rank of a row. */
const place = 'place in the stream'

/** The same for versions before {@link withTies}; it reads all remaining rows. */
function firstInPlaces(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  const value = sql`${set.row}.${id(batch.columns[0]!.name)}`
  const places = sql`rank() over (order by ${value} ${trusted(batch.direction)}) as ${id(place)}`
  const all = printer.alias()
  const inPlaces = sql`select ${columns(set.row)}, ${places} ${set.from}${set.tail}`
  return sql`select * from (${inPlaces}) as ${all} where ${all}.${id(place)} <= ${most}`
}
