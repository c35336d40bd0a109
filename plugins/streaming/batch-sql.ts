// The statement of a stream: the rows behind the position that a subscriber has come to, and the position behind them.

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

/** In which order rows come, and behind which value the first ones. */
export interface StreamOrder {
  readonly column: ColumnModel
  /** Null: from the beginning. */
  readonly from: Operand | null
  readonly direction: 'asc' | 'desc'
}

export interface StreamBatch {
  /** In the order of the stream, behind the position, without bounds. */
  readonly rows: Rows
  readonly output: Output
  /** Those that the position consists of. */
  readonly columns: readonly ColumnModel[]
  readonly size: number
  readonly isKeyed: boolean
  readonly direction: StreamOrder['direction']
}

/** The column of the cursor, and behind it those of the primary key, which tell rows of the same value apart. */
export function positionColumns({ primaryKey, columns }: TableModel, { column }: StreamOrder): readonly ColumnModel[] {
  const key = (primaryKey?.columns ?? []).flatMap((name) => columns.get(name) ?? [])
  return [column, ...key.filter(({ name }) => name !== column.name)]
}

/** What a stream is ordered by. */
export const streamOrder = (columns: readonly ColumnModel[], { direction }: StreamOrder): readonly OrderItem[] =>
  columns.map(({ name }) => ({
    target: { kind: 'column', column: name },
    direction,
    nulls: direction === 'asc' ? 'last' : 'first',
  }))

/** That a row comes behind the position, or behind the value of the cursor as long as there is none. */
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
    // The first comparison is what an index can answer.
    const bound = sql`${value!} ${atLeast} coalesce(${reached!}, ${initial})`
    return sql`${bound} and case when ${isFirst} then ${value!} ${behind} ${initial} else ${isBehind} end`
  },
})

/** A batch as a JSON array. Without a primary key all rows of a value come in one batch, which may be larger then. */
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

/** The list of the columns of a row that the batch needs. */
type ColumnList = (row: Sql) => Sql

/** The rows of a batch without bounds, and how many there may be. */
function unbounded({ rows, size }: StreamBatch, printer: Printer) {
  const set = rowSet({ ...rows, limit: null, permissionLimit: null }, printer, null)
  return { set, most: integer(Math.min(size, rows.permissionLimit ?? size)) }
}

function firstRows(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  return sql`select ${columns(set.row)} ${set.from}${set.tail} limit ${most}`
}

/** The version from which rows can come that are level with the last one. */
const withTies = 13

function firstWithTies(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  return sql`select ${columns(set.row)} ${set.from}${set.tail} fetch first ${most} rows with ties`
}

/** Holds how many rows are before one. */
const place = 'place in the stream'

/** The same for versions before {@link withTies}, which have to read all that is left. */
function firstInPlaces(batch: StreamBatch, printer: Printer, columns: ColumnList): Sql {
  const { set, most } = unbounded(batch, printer)
  const value = sql`${set.row}.${id(batch.columns[0]!.name)}`
  const places = sql`rank() over (order by ${value} ${trusted(batch.direction)}) as ${id(place)}`
  const all = printer.alias()
  const inPlaces = sql`select ${columns(set.row)}, ${places} ${set.from}${set.tail}`
  return sql`select * from (${inPlaces}) as ${all} where ${all}.${id(place)} <= ${most}`
}
