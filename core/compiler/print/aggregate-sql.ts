// Aggregates over a row set. One pass computes every aggregate and the rows themselves.

import { empty, id, integer, join, type Sql, sql } from '../../database/sql/sql.ts'
import {
  type AggregateCall,
  type AggregateOutput,
  type AggregateSelect,
  mayUseWholeRow,
  type Output,
} from '../plan/plan.ts'
import { usedList } from '../plan/used-columns.ts'
import type { Printer } from '../printer.ts'
import { aggregateName, argumentSql, columnSql, takenSql } from './condition-sql.ts'
import { concat } from './json-sql.ts'
import { type Envelope, type Frame, orderedRows, outputSql, rowSet } from './select-sql.ts'

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
  const rows = printer.alias()
  // PostgreSQL sorts its whole input for a distinct aggregate, which loses the order of the rows.
  const sorts = hasNodes(select.output) && hasDistinct(select.output)
  const isNumbered = nodesLimit !== null || sorts
  const numbering = isNumbered ? rowNumbers(rows, usesWholeRows(select.output), printer) : null
  const counter = numbering && { number: numbering.number, limit: nodesLimit, sorts }
  const frame: Frame = { row: rows, joins: [], toOne: 'fenced' }
  const output = concat([prefix, aggregateOutput(select.output, frame, printer, counter), suffix])
  const given = numbering?.columns
  const columns = usedList(set.row, { as: rows, fragments: [output, ...frame.joins], ...(given && { given }) })
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
  /** The rows of a query with their numbers, under the alias of the rows. */
  numbered(base: Sql): Sql
}

/** Numbers the rows with that alias. If they are used whole, the number is not one of their columns. */
function rowNumbers(rows: Sql, whole: boolean, printer: Printer): RowNumbers {
  const alias = printer.alias()
  const column = printer.column()
  const number = sql`row_number() over () as ${id(column)}`
  if (!whole) {
    return {
      number: columnSql(rows, column),
      columns: new Map([[column, number]]),
      numbered: (base) => sql`(select ${alias}.*, ${number} from ${base} as ${alias}) as ${rows}`,
    }
  }
  const outer = printer.alias()
  const record = printer.column()
  return {
    number: columnSql(outer, column),
    columns: new Map(),
    numbered(base) {
      const inner = sql`(select (${alias}.*)::record as ${id(record)}, ${number} from ${base} as ${alias}) as ${outer}`
      return sql`${inner} cross join lateral (select (${columnSql(outer, record)}).*) as ${rows}`
    },
  }
}

/** Limits `nodes` by the number of the row, and sorts them by it if needed. */
interface Counter {
  readonly number: Sql
  readonly limit: number | null
  readonly sorts: boolean
}

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
      return sql`coalesce(to_json(${callSql(output.call, frame.row, printer)})::text, 'null')`
    case 'nodes': {
      const item = outputSql(output.output, frame, printer)
      const limit = counter?.limit ?? null
      const order = counter?.sorts ? sql` order by ${counter.number}` : empty
      const filter = limit === null ? empty : sql` filter (where ${counter!.number} <= ${integer(limit)})`
      return sql`'[' || coalesce(string_agg(${item}, ','${order})${filter}, '') || ']'`
    }
    default:
      return output satisfies never
  }
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
