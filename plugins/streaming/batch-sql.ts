// The statement of a stream: the rows behind the position that a subscriber has come to, and the position behind them.

import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'
import {
  type Condition,
  concat,
  type Frame,
  id,
  integer,
  join,
  type Operand,
  type OrderItem,
  type Output,
  operandSql,
  outputSql,
  type Printer,
  param,
  type Rows,
  rowSet,
  type Sql,
  sql,
  trusted,
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
export const behindPosition = (columns: readonly ColumnModel[], { from, direction }: StreamOrder): Condition => ({
  kind: 'sql',
  build(row) {
    const behind = trusted(direction === 'asc' ? '>' : '<')
    const values = columns.map(({ name }) => sql`${row}.${id(name)}`)
    const position = columns.map(({ type }, i) => param(positionSource(i), type.sql))
    const [value] = values
    const [reached] = position
    const isBehind = sql`(${join(values)}) ${behind} (${join(position)})`
    if (!from) return sql`${value!} is not null and (${reached!} is null or ${isBehind})`
    const initial = operandSql(from, row)
    // The first comparison is what an index can answer.
    const bound = sql`${value!} ${behind}= coalesce(${reached!}, ${initial})`
    return sql`${bound} and case when ${reached!} is null then ${value!} ${behind} ${initial} else ${isBehind} end`
  },
})

/** From this version on rows that are level with the last one of a batch can come with it. */
const withTies = 13

/** A batch as a JSON array. Without a primary key all rows of a value come in one batch, which may be larger then. */
export function batchSql({ rows, output, columns, size, isKeyed }: StreamBatch, printer: Printer): Sql {
  const most = Math.min(size, rows.permissionLimit ?? size)
  const set = rowSet({ ...rows, limit: null, permissionLimit: null }, printer, null)
  const isCut = isKeyed || printer.options.serverVersion < withTies
  const limit = isCut ? sql` limit ${integer(most)}` : sql` fetch first ${integer(most)} rows with ties`
  const page = printer.alias()
  const frame: Frame = { row: page, joins: [], toOne: 'fenced' }
  const item = outputSql(output, frame, printer)
  const array = concat(['[', sql`coalesce(string_agg(${item}, ','), '')`, ']'])
  const position = columns.map(({ name }) => sql`${page}.${id(name)}`)
  const ordered = sql`select ${set.row}.* ${set.from}${set.tail}${limit}`
  return sql`select ${withPosition(array, position)} from (${ordered}) as ${page}${join(frame.joins, '')}`
}
