// Aggregates over a row set. One pass computes every aggregate and the rows themselves.

import { empty, id, integer, join, type Sql, sql } from '../../database/sql/sql.ts'
import {
  type AggregateCall,
  type AggregateOutput,
  type AggregateSelect,
  mayUseWholeRow,
  type Output,
} from '../plan/plan.ts'
import { listOf, type UseOfColumns, usedColumns, usedList } from '../plan/used-columns.ts'
import type { Printer } from '../printer.ts'
import { aggregateName, argumentSql, columnSql, takenSql } from './condition-sql.ts'
import { concat, isBigNumber } from './json-sql.ts'
import { orderSql } from './order-sql.ts'
import { type Envelope, type Frame, orderedPlace, orderedRows, outputSql, rowSet } from './select-sql.ts'

/** `select '{"aggregate": …, "nodes": …}' as j` over the rows. The role's limit applies to `nodes` only. */
export function aggregateSql(
  select: AggregateSelect,
  outer: Sql | null,
  printer: Printer,
  { prefix, suffix }: Envelope = { prefix: '', suffix: '' },
): Sql {
  // Without an aggregate function the query would yield one row for each row of the set.
  if (isConstant(select.output)) {
    const frame: Frame = { row: empty, joins: [], toOne: 'behind' }
    return sql`select ${concat([prefix, aggregateOutput(select.output, frame, printer, null), suffix])} as j`
  }
  const set = rowSet(select.rows, printer, outer, false)
  const nodesLimit = hasNodes(select.output) ? select.rows.permissionLimit : null
  if (!set.isOrdered && nodesLimit === null) {
    const frame: Frame = { row: set.row, joins: [], toOne: 'behind' }
    const output = concat([prefix, aggregateOutput(select.output, frame, printer, null), suffix])
    return sql`select ${output} as j ${set.from}${join(frame.joins, '')}${set.where}`
  }
  if (select.rows.isDistributed && nodesLimit === null) {
    const place = orderedPlace(select.rows, set, printer)
    const order = { order: place.order, limit: null }
    const output = concat([prefix, aggregateOutput(select.output, place.frame, printer, order), suffix])
    return sql`select ${output} as j ${place.from([output])}`
  }
  const rows = printer.alias()
  // PostgreSQL sorts its whole input for a distinct aggregate, which loses the order of the rows.
  const sorts = hasNodes(select.output) && (hasDistinct(select.output) || select.rows.isDistributed === true)
  const isNumbered = nodesLimit !== null || sorts
  const numbering = isNumbered ? rowNumbers(rows, select, printer) : null
  const counter = numbering && counterOf(numbering, nodesLimit, sorts)
  const frame: Frame = { row: rows, joins: [], toOne: 'fenced' }
  const output = concat([prefix, aggregateOutput(select.output, frame, printer, counter), suffix])
  const given = numbering?.columns
  const own = { as: rows, fragments: [output, ...frame.joins], ...(given && { given }) }
  const columns = numbering ? numbering.used(set.row, own) : usedList(set.row, own)
  const base = sql`(${orderedRows(set, columns)})`
  const from = numbering ? numbering.numbered(base) : sql`${base} as ${rows}`
  return sql`select ${output} as j from ${from}${join(frame.joins, '')}`
}

const isConstant = (output: AggregateOutput): boolean =>
  output.kind === 'json' || (output.kind === 'object' && output.entries.every(({ value }) => isConstant(value)))

const someNodes = (output: AggregateOutput, test: (nodes: Output) => boolean): boolean =>
  output.kind === 'object'
    ? output.entries.some(({ value }) => someNodes(value, test))
    : output.kind === 'nodes' && test(output.output)

const hasNodes = (output: AggregateOutput): boolean => someNodes(output, () => true)

const hasDistinct = (output: AggregateOutput): boolean =>
  output.kind === 'object'
    ? output.entries.some(({ value }) => hasDistinct(value))
    : output.kind === 'call' && output.call.distinct

/** Whether rows are used whole: by fragments of plugins, or as the argument of a function. */
const usesWholeRows = (output: AggregateOutput): boolean =>
  output.kind === 'object'
    ? output.entries.some(({ value }) => usesWholeRows(value))
    : (output.kind === 'nodes' && mayUseWholeRow(output.output)) || (output.kind === 'call' && !!output.call.value)

interface RowNumbers {
  /** The number of the current row. */
  readonly number: Sql
  /** The columns of the row that are not its own. */
  readonly columns: ReadonlyMap<string, Sql>
  /** The select list of the numbered query, whose rows have the first alias. */
  used(row: Sql, use: UseOfColumns): Sql
  /** The rows of a query with their numbers, under the alias of the rows. */
  numbered(base: Sql): Sql
}

/**
 * Numbers the rows with that alias. If they are used whole, the number is not one of their columns. The numbers of rows
 * that several machines give have an order of their own.
 */
function rowNumbers(rows: Sql, { rows: set, output }: AggregateSelect, printer: Printer): RowNumbers {
  const alias = printer.alias()
  const column = printer.column()
  const { items, joins } = orderSql(set.isDistributed ? set.orderBy : [], alias, printer)
  const number = sql`row_number() over (${items.length > 0 ? sql`order by ${join(items)}` : empty}) as ${id(column)}`
  const used: RowNumbers['used'] = (row, use) => {
    const list = usedList(row, use)
    const others = usedList(row, { as: alias, fragments: [...items, joins], given: namesOf(row, use) })
    return listOf(list, others)
  }
  if (!usesWholeRows(output)) {
    return {
      used,
      number: columnSql(rows, column),
      columns: new Map([[column, number]]),
      numbered: (base) => sql`(select ${alias}.*, ${number} from ${base} as ${alias}${joins}) as ${rows}`,
    }
  }
  const outer = printer.alias()
  const record = printer.column()
  return {
    used: usedList,
    number: columnSql(outer, column),
    columns: new Map(),
    numbered(base) {
      const from = sql`${base} as ${alias}${joins}`
      const inner = sql`(select (${alias}.*)::record as ${id(record)}, ${number} from ${from}) as ${outer}`
      return sql`${inner} cross join lateral (select (${columnSql(outer, record)}).*) as ${rows}`
    },
  }
}

/** The columns that a list holds already. */
const namesOf = (row: Sql, { as = row, fragments }: UseOfColumns): ReadonlyMap<string, Sql> =>
  new Map((usedColumns(as, fragments) ?? []).map((name) => [name, empty]))

/** The order of `nodes`, and their limit by the number of the row. */
interface Counter {
  /** ` order by …`, or empty. */
  readonly order: Sql
  readonly limit: { readonly number: Sql; readonly most: number } | null
}

const counterOf = ({ number }: RowNumbers, most: number | null, sorts: boolean): Counter => ({
  order: sorts ? sql` order by ${number}` : empty,
  limit: most === null ? null : { number, most },
})

function aggregateOutput(output: AggregateOutput, frame: Frame, printer: Printer, counter: Counter | null): Sql {
  switch (output.kind) {
    case 'object': {
      const pieces: (string | Sql)[] = ['{']
      for (const [i, { key, value }] of output.entries.entries()) {
        pieces.push(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
        pieces.push(value.kind === 'json' ? value.text : aggregateOutput(value, frame, printer, counter))
      }
      pieces.push('}')
      return concat(pieces)
    }
    case 'json':
      return concat([output.text])
    case 'call':
      return callJson(output.call, frame.row, printer)
    case 'nodes': {
      const item = outputSql(output.output, frame, printer)
      const limit = counter?.limit ?? null
      const order = counter?.order ?? empty
      const filter = limit === null ? empty : sql` filter (where ${limit.number} <= ${integer(limit.most)})`
      return sql`'[' || coalesce(string_agg(${item}, ','${order})${filter}, '') || ']'`
    }
    default:
      return output satisfies never
  }
}

function callJson(call: AggregateCall, row: Sql, printer: Printer): Sql {
  const value = callSql(call, row, printer)
  const isText = call.printedAs !== undefined && isBigNumber(call.printedAs, printer.options)
  return sql`coalesce(to_json(${isText ? sql`${value}::text` : value})::text, 'null')`
}

/** The call of an aggregate on the rows with that alias. */
export function callSql(call: AggregateCall, row: Sql, printer: Printer): Sql {
  const { columns, value, distinct, takenAs } = call
  if (value) return sql`${aggregateName(call)}(${takenSql(value(row, printer), takenAs)})`
  if (columns.length === 0) return sql`count(*)`
  const list = columns.map((column) => argumentSql(row, column, takenAs))
  const argument = list.length === 1 ? list[0]! : sql`(${join(list)})`
  return sql`${aggregateName(call)}(${distinct ? sql`distinct ` : empty}${argument})`
}
