// Connections as SQL: the base set with the values that order it, a page of it, and the JSON of that.

import type { OrderElement } from '../../../sdk/graphql.ts'
import type { QualifiedName } from '../../../sdk/index.ts'
import {
  andSql,
  comparableSql,
  concat,
  empty,
  type Frame,
  id,
  integer,
  isTrue,
  join,
  type Output,
  orderItemSql,
  outputSql,
  type ParamSource,
  type Printer,
  param,
  type Rows,
  rowSet,
  type Sql,
  sql,
  tableSql,
  targetsSql,
  trusted,
  usedColumns,
} from '../../../sdk/sql.ts'
import { cursorSql } from './cursor.ts'
import { elementsAs } from './elements.ts'
import { beyondSql, reversed } from './order.ts'

export type EdgeOutput =
  | { readonly kind: 'cursor' }
  | { readonly kind: 'node'; readonly output: Output }
  | { readonly kind: 'json'; readonly text: string }

export type PageInfoOutput =
  | { readonly kind: 'startCursor' | 'endCursor' | 'hasNextPage' | 'hasPreviousPage' }
  | { readonly kind: 'json'; readonly text: string }

export type ConnectionOutput =
  | { readonly kind: 'edges'; readonly entries: readonly Entry<EdgeOutput>[] }
  | { readonly kind: 'pageInfo'; readonly entries: readonly Entry<PageInfoOutput>[] }
  | { readonly kind: 'json'; readonly text: string }

export interface Entry<Value> {
  readonly key: string
  readonly value: Value
}

export interface Connection {
  /** Whose rows they are. */
  readonly table: QualifiedName
  /** The base set; its order and limits are those of the page. */
  readonly rows: Rows
  /** The order, which leaves no two rows at the same place. */
  readonly order: readonly OrderElement[]
  /** The place that rows have to be after (`after`) or before. */
  readonly cursor: { readonly side: 'after' | 'before'; readonly source: ParamSource } | null
  /** How many rows the page has at most, from which end. */
  readonly size: number | null
  readonly fromEnd: boolean
  readonly entries: readonly Entry<ConnectionOutput>[]
}

/** The data of each row that the parts of the statement pass on. */
type HandedOn =
  | { readonly kind: 'columns'; readonly names: readonly string[] }
  /** The row itself, in a column of that name. */
  | { readonly kind: 'whole'; readonly name: string }

const nothing: HandedOn = { kind: 'columns', names: [] }

/** The names of the other columns that the parts of the statement pass on. */
interface Columns {
  /** The values of the order. */
  readonly keys: readonly string[]
  /** Counts from the end that the page is taken from. */
  readonly number: string
  /** The number of rows, with the one after the page. */
  readonly total: string
}

/** `select '{"edges": …, "pageInfo": …}' as j`. */
export function connectionSql(connection: Connection, outer: Sql | null, printer: Printer): Sql {
  const { entries, order } = connection
  const columns: Columns = {
    keys: order.map(() => printer.column()),
    number: printer.column(),
    total: printer.column(),
  }
  const page = printer.alias()
  const row = printer.alias()
  const frame: Frame = { row, joins: [], toOne: 'behind' }
  const view: PageView = { connection, columns, page, outer, printer }
  const text = objectSql(entries, (output) => {
    if (output.kind === 'json') return output.text
    return output.kind === 'edges' ? edgesSql(output.entries, view, frame) : pageInfoSql(output.entries, view)
  })
  // Without an aggregate there would be an object for each row.
  if (entries.every(({ value }) => isConstant(value, connection))) return sql`select ${text} as j`
  const names = usedColumns(row, [text, ...frame.joins])
  const rows: HandedOn = names ? { kind: 'columns', names } : { kind: 'whole', name: printer.column() }
  const ownRow = sql` cross join lateral (select ${rowSql(rows, page)}) as ${row}`
  const joined = names?.length === 0 ? empty : ownRow
  return sql`select ${text} as j from (${pageSql(view, rows)}) as ${page}${joined}${join(frame.joins, '')}`
}

/** The columns of a page's row. */
const rowSql = (rows: HandedOn, page: Sql): Sql =>
  rows.kind === 'whole' ? sql`(${page}.${id(rows.name)}).*` : join(rows.names.map((name) => sql`${page}.${id(name)}`))

const handedOnSql = (rows: HandedOn, row: Sql, table: QualifiedName): Sql[] =>
  rows.kind === 'whole'
    ? [sql`(${row}.*)::${tableSql(table)} as ${id(rows.name)}`]
    : rows.names.map((name) => sql`${row}.${id(name)}`)

interface PageView {
  readonly connection: Connection
  readonly columns: Columns
  /** The alias of the page's rows. */
  readonly page: Sql
  readonly outer: Sql | null
  readonly printer: Printer
}

/** Whether it is the same for any rows. */
function isConstant(output: ConnectionOutput, connection: Connection): boolean {
  if (output.kind !== 'pageInfo') return output.kind === 'json'
  return output.entries.every(({ value: { kind } }) => {
    return kind === 'json' || (isFlag(kind) && !mayHaveMore(cutBy[kind], connection))
  })
}

/** A JSON object; texts are parts of it as they are. */
function objectSql<Value>(entries: readonly Entry<Value>[], valueSql: (value: Value) => string | Sql): Sql {
  const pieces: (string | Sql)[] = ['{']
  for (const [i, { key, value }] of entries.entries()) {
    pieces.push(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`, valueSql(value))
  }
  return concat([...pieces, '}'])
}

const keySqls = (alias: Sql, { keys }: Columns): Sql[] => keys.map((key) => sql`${alias}.${id(key)}`)

const comparableKeys = (keys: readonly Sql[], order: readonly OrderElement[]): Sql[] =>
  keys.map((key, i) => comparableSql(key, order[i]!.value.type))

/** The rows of the base set, with the values of the order. */
function baseSql({ connection, columns, outer, printer }: PageView, handedOn: HandedOn): Sql {
  const { rows, order, table } = connection
  const set = rowSet({ ...rows, distinctOn: [], orderBy: [], permissionLimit: null }, printer, outer)
  const targets = order.map(({ target }) => target)
  const { values, joins } = targetsSql(targets, set.row, printer)
  const items = values.map((value, i) => sql`${value} as ${id(columns.keys[i]!)}`)
  const given = handedOnSql(handedOn, set.row, table)
  const distinct = rows.distinctOn.map((column) => sql`${set.row}.${id(column)}`)
  const head = distinct.length > 0 ? sql`distinct on (${join(distinct)}) ` : empty
  const select = sql`select ${head}${join([...given, ...items])} ${set.from}${joins}${set.where}`
  if (distinct.length === 0 && rows.permissionLimit === null) return select
  const sorted = values.map((value, i) => orderItemSql(value, order[i]!))
  // DISTINCT ON has to find its columns in front, where an order that was asked for has them already.
  const first = rows.orderBy.length > 0 ? [] : distinct
  const limit = rows.permissionLimit === null ? empty : sql` limit ${integer(rows.permissionLimit)}`
  return sql`${select} order by ${join([...first, ...sorted])}${limit}`
}

/** The rows of the page and one more, numbered from the end that the page is taken from. */
function pageSql(view: PageView, handedOn: HandedOn): Sql {
  const { connection, columns, printer } = view
  const { order, cursor, size, fromEnd } = connection
  const base = printer.alias()
  const keys = keySqls(base, columns)
  const direction = fromEnd ? reversed(order) : order
  const inside =
    cursor && beyondSql(sided(order, cursor.side), comparableKeys(keys, order), cursorValues(connection, printer))
  const condition = andSql(inside)
  const where = isTrue(condition) ? empty : sql` where ${condition}`
  const sorted = keys.map((key, i) => orderItemSql(key, direction[i]!))
  const limit = size === null ? empty : sql` limit ${integer(size === 0 ? 0 : size + 1)}`
  const rows = sql`select * from (${baseSql(view, handedOn)}) as ${base}${where} order by ${join(sorted)}${limit}`
  const numbered = printer.alias()
  // Rows that several machines give lose the order of a subquery.
  const again = keySqls(numbered, columns).map((key, i) => orderItemSql(key, direction[i]!))
  const over = connection.rows.isDistributed ? sql`order by ${join(again)}` : empty
  const number = sql`row_number() over (${over}) as ${id(columns.number)}`
  return sql`select ${numbered}.*, ${number}, count(*) over () as ${id(columns.total)} from (${rows}) as ${numbered}`
}

/** The order in which the wanted rows follow the cursor. */
const sided = (order: readonly OrderElement[], side: 'after' | 'before'): readonly OrderElement[] =>
  side === 'after' ? order : reversed(order)

function cursorValues({ cursor, order }: Connection, printer: Printer): Sql[] {
  const types = order.map(({ value }) => value.type)
  return elementsAs(param(cursor!.source, 'text[]'), types, printer)
}

function edgesSql(entries: readonly Entry<EdgeOutput>[], view: PageView, frame: Frame): Sql {
  const { connection, columns, page, printer } = view
  const item = objectSql(entries, (output) => {
    if (output.kind === 'json') return output.text
    return output.kind === 'node' ? outputSql(output.output, frame, printer) : concat(['"', rowCursor(view), '"'])
  })
  const number = sql`${page}.${id(columns.number)}`
  const order = trusted(connection.fromEnd ? 'desc' : 'asc')
  const filter = connection.size === null ? empty : sql` filter (where ${number} <= ${integer(connection.size)})`
  return concat(['[', sql`coalesce(string_agg(${item}, ',' order by ${number} ${order})${filter}, '')`, ']'])
}

const rowCursor = ({ connection, columns, page }: PageView): Sql =>
  cursorSql(
    connection.order.map(({ value }) => value),
    keySqls(page, columns),
  )

function pageInfoSql(entries: readonly Entry<PageInfoOutput>[], view: PageView): Sql {
  const { fromEnd } = view.connection
  return objectSql(entries, (output) => {
    switch (output.kind) {
      case 'json':
        return output.text
      case 'startCursor':
        return pageCursorSql(fromEnd ? 'last' : 'first', view)
      case 'endCursor':
        return pageCursorSql(fromEnd ? 'first' : 'last', view)
      case 'hasNextPage':
      case 'hasPreviousPage':
        return hasMoreSql(cutBy[output.kind], view)
      default:
        return output satisfies never
    }
  })
}

/** The cursor of the first or last row of the page, as they are numbered. */
function pageCursorSql(which: 'first' | 'last', view: PageView): Sql {
  const { connection, columns, page } = view
  const number = sql`${page}.${id(columns.number)}`
  const total = sql`${page}.${id(columns.total)}`
  const last = connection.size === null ? total : sql`least(${total}, ${integer(connection.size)})`
  const cursor = sql`max(${rowCursor(view)}) filter (where ${number} = ${which === 'first' ? sql`1` : last})`
  return sql`coalesce('"' || ${cursor} || '"', 'null')`
}

/** For each flag, the side that a cursor cuts off. */
const cutBy = { hasNextPage: 'before', hasPreviousPage: 'after' } as const

const isFlag = (kind: PageInfoOutput['kind']): kind is keyof typeof cutBy => kind in cutBy

/** Whether rows of the page's own side may follow it. */
const isOpen = (side: 'after' | 'before', { size, fromEnd }: Connection): boolean =>
  size !== null && fromEnd === (side === 'after')

const mayHaveMore = (side: 'after' | 'before', connection: Connection): boolean =>
  isOpen(side, connection) || connection.cursor?.side === side

/**
 * Whether the base set has rows on the side of the page that a cursor of that side cuts off: the other rows of the page's
 * own side, or those that the cursor left out.
 */
function hasMoreSql(side: 'after' | 'before', view: PageView): Sql {
  const { connection, columns, page } = view
  if (!mayHaveMore(side, connection)) return sql`'false'`
  const conditions: Sql[] = []
  if (isOpen(side, connection)) {
    conditions.push(sql`coalesce(bool_or(${page}.${id(columns.number)} > ${integer(connection.size!)}), false)`)
  }
  if (connection.cursor?.side === side) conditions.push(sql`count(*) > 0 and ${cutOffSql(side, view)}`)
  return sql`(${join(conditions, ' or ')})::text`
}

/** Whether the cursor leaves out rows of the base set. */
function cutOffSql(side: 'after' | 'before', view: PageView): Sql {
  const { connection, columns, printer } = view
  const base = printer.alias()
  const keys = comparableKeys(keySqls(base, columns), connection.order)
  const outside = beyondSql(sided(connection.order, side), keys, cursorValues(connection, printer), { inverted: true })
  return sql`exists (select from (${baseSql(view, nothing)}) as ${base} where ${outside})`
}
