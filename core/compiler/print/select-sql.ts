// Outputs and row sets as SQL. Printing is total: it makes no decisions, looks nothing up and knows no role.
//
// Every nested array, object and aggregate is a LEFT JOIN LATERAL that follows its row. An aggregate always yields one
// row, so it keeps the order of the outer rows. A to-one object looks like a plain join to the planner, which may hash
// it and lose the order. In ordered row sets it is therefore joined before the rows are sorted, or fenced.

import { empty, id, integer, join, type Sql, sql } from '../../database/sql/sql.ts'
import {
  type From,
  mayUseWholeRow,
  type NeededColumn,
  type Output,
  type OutputEntry,
  type Rows,
  type Select,
  type SqlBuilder,
} from '../plan/plan.ts'
import { listOf, usedList } from '../plan/used-columns.ts'
import type { Printer } from '../printer.ts'
import { toOneJoins } from '../tuning.ts'
import { aggregateSql } from './aggregate-sql.ts'
import { andSql, columnSql, conditionSql, isTrue, mappingSql, operandSql, tableSql } from './condition-sql.ts'
import { columnJson, concat, concatOnce } from './json-sql.ts'
import { orderSql } from './order-sql.ts'

/** A row whose output is being printed: expressions use `row`, and `joins` follow it. */
export interface Frame {
  readonly row: Sql
  readonly joins: Sql[]
  /**
   * Where to-one objects are joined: after the row, after it with a fence, or within the subquery that orders the rows.
   */
  readonly toOne: 'behind' | 'fenced' | InnerFrame
  /** The number of to-one objects around the row; absent: 0. */
  readonly level?: number
}

export interface InnerFrame {
  readonly row: Sql
  readonly joins: Sql[]
  /** The columns that the joins add to each row, by name. */
  readonly columns: Map<string, Sql>
}

type Wrap = (pieces: readonly (string | Sql)[]) => Sql

/** The text around the result of a root field. */
export interface Envelope {
  readonly prefix: string
  readonly suffix: string
}

/** No text around the result. */
export const noEnvelope: Envelope = { prefix: '', suffix: '' }

/** The JSON text of an output. Never NULL. */
export function outputSql(output: Output, frame: Frame, printer: Printer): Sql {
  const pieces = outputPieces(output, frame, printer)
  return pieces.length === 1 && typeof pieces[0] !== 'string' ? pieces[0]! : concat(pieces)
}

/** The JSON text of an output in its envelope, for a query that yields one row. */
export const soleOutputSql = (output: Output, frame: Frame, printer: Printer, { prefix, suffix }: Envelope): Sql =>
  concatOnce([prefix, ...outputPieces(output, frame, printer), suffix])

/** The JSON text of an output, in pieces that the caller concatenates. */
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
      const needed = output.needs.map((need): OutputEntry => ({ key: need.column, value: neededOutput(need) }))
      const { mark } = output
      const marked: OutputEntry[] = mark === undefined ? [] : [{ key: mark, value: { kind: 'json', text: 'true' } }]
      return outputPieces({ kind: 'object', entries: [...marked, ...needed] }, frame, printer)
    }
    case 'sql':
      return [sql`(${output.build(frame.row, printer)})`]
    default:
      return output satisfies never
  }
}

function neededOutput({ column, type, value, given }: NeededColumn): Output {
  if (!given && !value) return { kind: 'column', column, type }
  const build: SqlBuilder = (row, printer) => {
    const own = value ? value(row, printer) : columnSql(row, column)
    return given ? givenJson(given, own, { type }, { row, printer }) : columnJson(own, { type }, printer.options)
  }
  return { kind: 'sql', build }
}

/** The JSON of a value in rows that fulfil a condition; null in all others. */
export const givenJson = (
  given: SqlBuilder,
  value: Sql,
  column: Parameters<typeof columnJson>[1],
  { row, printer }: { readonly row: Sql; readonly printer: Printer },
): Sql => sql`case when ${given(row, printer)} then ${columnJson(value, column, printer.options)} else 'null' end`

/** Joins a query that yields one row with the column `j`; returns the reference to that column. */
function lateralSql(query: Sql, frame: Frame, printer: Printer): Sql {
  const alias = printer.alias()
  frame.joins.push(sql` left join lateral (${query}) as ${alias} on true`)
  return sql`${alias}.j`
}

interface FencePlace {
  readonly isFenced: boolean
  readonly joins: readonly Sql[]
  readonly level: number
}

/** The end of a to-one object's query: it limits the query to one row, or makes PostgreSQL plan it separately. */
function fenceOf({ unique }: Extract<Output, { kind: 'one' }>, { isFenced, joins, level }: FencePlace): Sql {
  if (!unique) return sql` limit 1`
  return isFenced || joins.length >= toOneJoins || level % toOneJoins === 0 ? sql` offset 0` : empty
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

/** `select … as j`: a result row for each row of the set. */
export function rowQuery(select: Select, outer: Sql | null, printer: Printer, options: RowQueryOptions = {}): Sql {
  const { prefix, suffix } = options.envelope ?? noEnvelope
  const set = rowSet(select.rows, printer, outer)
  const { level } = options
  const wrap: Wrap = options.single ? concatOnce : concat
  if (select.rows.isDistributed && set.order.length > 0) {
    const place = orderedPlace(select.rows, set, printer)
    const item = wrap([prefix, ...outputPieces(select.output, place.frame, printer), suffix])
    return sql`select ${item} as j ${place.from([item])}${place.order}${options.fence ?? empty}`
  }
  const frame: Frame = { row: set.row, joins: [], toOne: set.isOrdered ? 'fenced' : 'behind', level }
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
  const array = (item: Sql, order: Sql = empty) => {
    return concat([`${envelope.prefix}[`, sql`coalesce(string_agg(${item}, ','${order}), '')`, `]${envelope.suffix}`])
  }
  if (!set.isOrdered) {
    const frame: Frame = { row: set.row, joins: [], toOne: 'behind' }
    const item = outputSql(select.output, frame, printer)
    return sql`select ${array(item)} as j ${set.from}${join(frame.joins, '')}${set.where}`
  }
  if (select.rows.isDistributed) return distributedQuery(select, set, printer, array)
  const rows = printer.alias()
  const inner: InnerFrame = { row: set.row, joins: [], columns: new Map() }
  const frame: Frame = { row: rows, joins: [], toOne: toOnePlace(select, inner) }
  const item = outputSql(select.output, frame, printer)
  const columns = usedList(set.row, { as: rows, fragments: [item, ...frame.joins], given: inner.columns })
  const ordered = orderedRows(set, listOf(columns, ...inner.columns.values()), inner.joins)
  return sql`select ${array(item)} as j from (${ordered}) as ${rows}${join(frame.joins, '')}`
}

/** As {@link manyQuery}, with the order in the aggregate. Rows that several machines give lose that of a subquery. */
function distributedQuery(select: Select, set: RowSet, printer: Printer, array: (item: Sql, order: Sql) => Sql): Sql {
  const place = orderedPlace(select.rows, set, printer)
  const item = outputSql(select.output, place.frame, printer)
  return sql`select ${array(item, place.order)} as j ${place.from([item])}`
}

/** Where the rows of a distributed set are aggregated. */
export interface OrderedPlace {
  readonly frame: Frame
  /** ` order by …` for an aggregate, or empty. */
  readonly order: Sql
  /** The end of a query whose list holds these fragments. */
  from(fragments: readonly Sql[]): Sql
}

/** The rows of a distributed set, below a subquery only if it cuts some off. */
export function orderedPlace(rows: Rows, set: RowSet, printer: Printer): OrderedPlace {
  const by = (items: readonly Sql[]) => (items.length > 0 ? sql` order by ${join(items)}` : empty)
  if (!set.isCut) {
    const frame: Frame = { row: set.row, joins: [], toOne: 'behind' }
    return { frame, order: by(set.order), from: () => sql`${set.from}${join(frame.joins, '')}${set.where}` }
  }
  const row = printer.alias()
  const { items, joins } = orderSql(rows.orderBy, row, printer)
  const frame: Frame = { row, joins: joins.parts.length > 0 ? [joins] : [], toOne: 'behind' }
  return {
    frame,
    order: by(items),
    from(fragments) {
      const columns = usedList(set.row, { as: row, fragments: [...fragments, ...items, ...frame.joins] })
      return sql`from (${orderedRows(set, columns)}) as ${row}${join(frame.joins, '')}`
    },
  }
}

/** The query for a row set in its order, with these columns. */
export function orderedRows({ distinct, from, tail }: RowSet, columns: Sql, joins: readonly Sql[] = []): Sql {
  const list = distinct.parts.length > 0 && columns.parts.length === 0 ? sql`null` : columns
  return sql`select ${distinct}${list} ${from}${join(joins, '')}${tail}`
}

/**
 * Where to-one objects of a list are joined. Unordered rows allow any join. Rows that are all sorted, or sorted by a
 * key and so by an index, are best joined before the sort. If a limit keeps a few of them, joining those afterwards is
 * better. Whole rows must be joined afterwards, because a join before would add a column.
 */
function toOnePlace({ rows, output }: Select, inner: InnerFrame): Frame['toOne'] {
  if (rows.distinctOn.length > 0 || mayUseWholeRow(output)) return 'fenced'
  if (rows.orderBy.length === 0) return 'behind'
  const isLimited = rows.limit !== null || rows.permissionLimit !== null
  return !isLimited || rows.orderedByKey ? inner : 'fenced'
}

/** The parts of a row set's query. */
export interface RowSet {
  readonly row: Sql
  /** `distinct on (…) `, or empty. */
  readonly distinct: Sql
  /** `from …`, with the joins that the order needs. */
  readonly from: Sql
  readonly where: Sql
  /** Everything after the joins: where, order, limit and offset. */
  readonly tail: Sql
  /** The values to order by, with their directions. */
  readonly order: readonly Sql[]
  /** Whether a limit, an offset or DISTINCT ON leaves rows out. */
  readonly isCut: boolean
  /** Whether it has an order, limit, offset or distinct, so that an aggregate needs it as a subquery. */
  readonly isOrdered: boolean
}

/** Prints a row set; without the role's limit if `limited` is false. */
export function rowSet(rows: Rows, printer: Printer, outer: Sql | null, limited = true): RowSet {
  const row = printer.alias()
  const order = orderSql(rows.orderBy, row, printer)
  const link = outer && mappingSql(rows.mapping, outer, row, printer)
  const condition = andSql(link, conditionSql(rows.where, row, printer))
  const where = isTrue(condition) ? empty : sql` where ${condition}`
  const orderBy = order.items.length > 0 ? sql` order by ${join(order.items)}` : empty
  const limit = limitSql(rows, row, limited)
  const columns = rows.distinctOn.map((column) => columnSql(row, column))
  const isCut = columns.length > 0 || limit.parts.length > 0
  return {
    row,
    distinct: columns.length > 0 ? sql`distinct on (${join(columns)}) ` : empty,
    from: sql`from ${fromSql(rows.from, row, outer, printer)}${order.joins}`,
    where,
    tail: sql`${where}${orderBy}${limit}`,
    order: order.items,
    isCut,
    isOrdered: order.items.length > 0 || isCut,
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
