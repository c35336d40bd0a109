// Outputs and row sets as SQL. Printing is total: it decides nothing about the request, looks nothing up, and knows no
// role.
//
// Every nested array, object and aggregate is a LEFT JOIN LATERAL behind the row that it belongs to. What is an aggregate
// always yields one row and cannot disturb the order of the rows outside. A to-one object is a plain join to the planner,
// which may hash it and lose the order: so where rows are ordered it is joined before they are sorted, or fenced.

import { empty, id, integer, join, type Sql, sql } from '../../database/sql/sql.ts'
import { type From, mayUseWholeRow, type Output, type Rows, type Select } from '../plan/plan.ts'
import { listOf, usedList } from '../plan/used-columns.ts'
import type { Printer } from '../printer.ts'
import { aggregateSql } from './aggregate-sql.ts'
import { andSql, columnSql, conditionSql, isTrue, mappingSql, operandSql, tableSql } from './condition-sql.ts'
import { columnJson, concat, concatOnce } from './json-sql.ts'
import { orderSql } from './order-sql.ts'

/** A row while its output is printed: expressions use `row`, joins collect behind it. */
export interface Frame {
  readonly row: Sql
  readonly joins: Sql[]
  /** Where to-one objects go: behind the row, behind it with a fence, or inside the subquery that orders the rows. */
  readonly toOne: 'behind' | 'fenced' | InnerFrame
  /** How many to-one objects the row is nested in; absent: none. */
  readonly level?: number
}

export interface InnerFrame {
  readonly row: Sql
  readonly joins: Sql[]
  /** What the joins give to each row, by name. */
  readonly columns: Map<string, Sql>
}

type Wrap = (pieces: readonly (string | Sql)[]) => Sql

/** Text around a result: the envelope of a root field. */
export interface Envelope {
  readonly prefix: string
  readonly suffix: string
}

/** Nothing around it. */
export const noEnvelope: Envelope = { prefix: '', suffix: '' }

/** The JSON text that an output is made of. Never NULL. */
export function outputSql(output: Output, frame: Frame, printer: Printer): Sql {
  const pieces = outputPieces(output, frame, printer)
  return pieces.length === 1 && typeof pieces[0] !== 'string' ? pieces[0]! : concat(pieces)
}

/** The same of a row that is alone, with its envelope. */
export const soleOutputSql = (output: Output, frame: Frame, printer: Printer, { prefix, suffix }: Envelope): Sql =>
  concatOnce([prefix, ...outputPieces(output, frame, printer), suffix])

/** The same in pieces to be concatenated. */
function outputPieces(output: Output, frame: Frame, printer: Printer): (string | Sql)[] {
  switch (output.kind) {
    case 'object': {
      const pieces: (string | Sql)[] = ['{']
      for (const [i, { key, value }] of output.entries.entries()) {
        pieces.push(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
        pieces.push(...outputPieces(value, frame, printer))
      }
      pieces.push('}')
      return pieces
    }
    case 'column':
      return [columnJson(columnSql(frame.row, output.column), output, printer.options)]
    case 'json':
      return [output.text]
    case 'one':
      return [toOneSql(output, frame, printer)]
    case 'many':
      return [lateralSql(manyQuery(output.select, frame.row, printer), frame, printer)]
    case 'aggregate':
      return [lateralSql(aggregateSql(output.select, frame.row, printer), frame, printer)]
    case 'deferred': {
      const entries = output.needs.map(({ column, type }) => {
        return { key: column, value: { kind: 'column', column, type } as const }
      })
      return outputPieces({ kind: 'object', entries }, frame, printer)
    }
    case 'sql':
      return [sql`(${output.build(frame.row, printer)})`]
    default:
      return output satisfies never
  }
}

/** Joins a query that yields one row with the column `j`, and refers to it. */
function lateralSql(query: Sql, frame: Frame, printer: Printer): Sql {
  const alias = printer.alias()
  frame.joins.push(sql` left join lateral (${query}) as ${alias} on true`)
  return sql`${alias}.j`
}

/**
 * So many to-one objects may be plain joins, beside each other and nested: the time for planning them grows with the square
 * of their number.
 */
const plainJoins = 6

interface FencePlace {
  readonly isFenced: boolean
  readonly joins: readonly Sql[]
  readonly level: number
}

/** Behind the query of a to-one object: has it give one row, or be planned on its own. */
function fenceOf({ unique }: Extract<Output, { kind: 'one' }>, { isFenced, joins, level }: FencePlace): Sql {
  if (!unique) return sql` limit 1`
  return isFenced || joins.length >= plainJoins || level % plainJoins === 0 ? sql` offset 0` : empty
}

function toOneSql(output: Extract<Output, { kind: 'one' }>, frame: Frame, printer: Printer): Sql {
  const level = (frame.level ?? 0) + 1
  if (typeof frame.toOne === 'string') {
    const fence = fenceOf(output, { isFenced: frame.toOne === 'fenced', joins: frame.joins, level })
    const query = rowQuery(output.select, frame.row, printer, { fence, level })
    return sql`coalesce(${lateralSql(query, frame, printer)}, 'null')`
  }
  const inner = frame.toOne
  const fence = fenceOf(output, { isFenced: false, joins: inner.joins, level })
  const query = rowQuery(output.select, inner.row, printer, { fence, level })
  const alias = printer.alias()
  const column = printer.column()
  inner.joins.push(sql` left join lateral (${query}) as ${alias} on true`)
  inner.columns.set(column, sql`${alias}.j as ${id(column)}`)
  return sql`coalesce(${columnSql(frame.row, column)}, 'null')`
}

interface RowQueryOptions extends Pick<Frame, 'level'> {
  readonly fence?: Sql
  readonly envelope?: Envelope
  readonly single?: boolean
}

/** `select … as j`: one row for each of the rows. */
export function rowQuery(select: Select, outer: Sql | null, printer: Printer, options: RowQueryOptions = {}): Sql {
  const { prefix, suffix } = options.envelope ?? noEnvelope
  const set = rowSet(select.rows, printer, outer)
  const { level } = options
  const frame: Frame = { row: set.row, joins: [], toOne: set.isOrdered ? 'fenced' : 'behind', level }
  const wrap: Wrap = options.single ? concatOnce : concat
  const item = wrap([prefix, ...outputPieces(select.output, frame, printer), suffix])
  if (set.isOrdered) {
    const columns = usedList(set.row, { fragments: [item, ...frame.joins] })
    const rows = sql`(${orderedRows(set, columns)}) as ${set.row}`
    return sql`select ${item} as j from ${rows}${join(frame.joins, '')}${options.fence ?? empty}`
  }
  return sql`select ${item} as j ${set.from}${join(frame.joins, '')}${set.where}${options.fence ?? empty}`
}

/** `select '[…]' as j`: all rows in one array. */
export function manyQuery(select: Select, outer: Sql | null, printer: Printer, envelope = noEnvelope): Sql {
  const set = rowSet(select.rows, printer, outer)
  const array = (item: Sql) => {
    return concat([`${envelope.prefix}[`, sql`coalesce(string_agg(${item}, ','), '')`, `]${envelope.suffix}`])
  }
  if (!set.isOrdered) {
    const frame: Frame = { row: set.row, joins: [], toOne: 'behind' }
    const item = outputSql(select.output, frame, printer)
    return sql`select ${array(item)} as j ${set.from}${join(frame.joins, '')}${set.where}`
  }
  const rows = printer.alias()
  const inner: InnerFrame = { row: set.row, joins: [], columns: new Map() }
  const frame: Frame = { row: rows, joins: [], toOne: toOnePlace(select, inner) }
  const item = outputSql(select.output, frame, printer)
  const columns = usedList(set.row, { as: rows, fragments: [item, ...frame.joins], given: inner.columns })
  const ordered = orderedRows(set, listOf(columns, ...inner.columns.values()), inner.joins)
  return sql`select ${array(item)} as j from (${ordered}) as ${rows}${join(frame.joins, '')}`
}

/** The query of a row set in its order, with these columns. */
export function orderedRows({ distinct, from, tail }: RowSet, columns: Sql, joins: readonly Sql[] = []): Sql {
  const list = distinct.parts.length > 0 && columns.parts.length === 0 ? sql`null` : columns
  return sql`select ${distinct}${list} ${from}${join(joins, '')}${tail}`
}

/**
 * Rows without an order can have their to-one objects joined by any method. Rows that are all sorted, or sorted by a
 * key and so by an index, are best joined before; rows of which a limit keeps a few, after and one by one. So are rows
 * that are used whole: what is joined before is a column more.
 */
function toOnePlace({ rows, output }: Select, inner: InnerFrame): Frame['toOne'] {
  if (rows.distinctOn.length > 0 || mayUseWholeRow(output)) return 'fenced'
  if (rows.orderBy.length === 0) return 'behind'
  const isLimited = rows.limit !== null || rows.permissionLimit !== null
  return !isLimited || rows.orderedByKey ? inner : 'fenced'
}

/** A row set in pieces. */
export interface RowSet {
  readonly row: Sql
  /** `distinct on (…) `, or nothing. */
  readonly distinct: Sql
  /** `from …` with the joins that ordering needs. */
  readonly from: Sql
  readonly where: Sql
  /** Everything behind the joins: where, order, limit, offset. */
  readonly tail: Sql
  /** Whether order, limit, offset or distinct take part, so that aggregation needs a subquery around the rows. */
  readonly isOrdered: boolean
}

/** Prints a row set; without the role's limit when `limited` is false. */
export function rowSet(rows: Rows, printer: Printer, outer: Sql | null, limited = true): RowSet {
  const row = printer.alias()
  const order = orderSql(rows.orderBy, row, printer)
  const link = outer && mappingSql(rows.mapping, outer, row)
  const condition = andSql(link, conditionSql(rows.where, row, printer))
  const where = isTrue(condition) ? empty : sql` where ${condition}`
  const orderBy = order.items.length > 0 ? sql` order by ${join(order.items)}` : empty
  const limit = limitSql(rows, row, limited)
  const columns = rows.distinctOn.map((column) => columnSql(row, column))
  return {
    row,
    distinct: columns.length > 0 ? sql`distinct on (${join(columns)}) ` : empty,
    from: sql`from ${fromSql(rows.from, row, outer, printer)}${order.joins}`,
    where,
    tail: sql`${where}${orderBy}${limit}`,
    isOrdered: order.items.length > 0 || columns.length > 0 || limit.parts.length > 0,
  }
}

function fromSql(from: From, row: Sql, outer: Sql | null, printer: Printer): Sql {
  switch (from.kind) {
    case 'table':
      return sql`${tableSql(from.table)} as ${row}`
    case 'sql':
      return sql`${from.build(outer ?? row, printer)} as ${row}`
    default:
      return from satisfies never
  }
}

function limitSql({ limit, offset, permissionLimit }: Rows, row: Sql, limited: boolean): Sql {
  const limits = [limit, limited ? permissionLimit : null].filter((value) => value !== null)
  const limitPart = limits.length === 0 ? empty : sql` limit ${integer(Math.min(...limits))}`
  return offset ? sql`${limitPart} offset ${operandSql(offset, row)}` : limitPart
}
