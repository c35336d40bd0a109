// Aggregates over a row set: every call and the rows themselves in one pass.

import { empty, id, integer, join, type Sql, sql, trusted } from '../database/sql.ts'
import { columnSql } from './condition-sql.ts'
import { concat } from './json-sql.ts'
import type { AggregateCall, AggregateOutput, AggregateSelect } from './plan.ts'
import type { Printer } from './printer.ts'
import { type Envelope, type Frame, outputSql, rowSet } from './select-sql.ts'

/** `select '{"aggregate": …, "nodes": …}' as j` over the rows, the role's limit applied to `nodes` alone. */
export function aggregateSql(
  select: AggregateSelect,
  outer: Sql | null,
  printer: Printer,
  { prefix, suffix }: Envelope = { prefix: '', suffix: '' },
): Sql {
  const set = rowSet(select.rows, printer, outer, false)
  const nodesLimit = hasNodes(select.output) ? select.rows.permissionLimit : null
  if (!set.isOrdered && nodesLimit === null) {
    const frame: Frame = { row: set.row, joins: [], toOne: 'behind' }
    const output = concat([prefix, aggregateOutput(select.output, frame, printer, null), suffix])
    return sql`select ${output} as j ${set.from}${join(frame.joins, '')}${set.where}`
  }
  const rows = printer.alias()
  const number = nodesLimit === null ? null : printer.column()
  const counter = number === null ? null : { number, limit: nodesLimit! }
  const frame: Frame = { row: rows, joins: [], toOne: 'fenced' }
  const output = concat([prefix, aggregateOutput(select.output, frame, printer, counter), suffix])
  const base = sql`select ${set.distinct}${set.row}.* ${set.from}${set.tail}`
  const from = number === null ? base : numbered(base, number, printer)
  return sql`select ${output} as j from (${from}) as ${rows}${join(frame.joins, '')}`
}

const hasNodes = (output: AggregateOutput): boolean =>
  output.kind === 'nodes' || (output.kind === 'object' && output.entries.some(({ value }) => hasNodes(value)))

function numbered(rows: Sql, column: string, printer: Printer): Sql {
  const alias = printer.alias()
  return sql`select ${alias}.*, row_number() over () as ${id(column)} from (${rows}) as ${alias}`
}

/** Which rows `nodes` may show, by their number. */
interface Counter {
  readonly number: string
  readonly limit: number
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
      return sql`coalesce(to_json(${callSql(output.call, frame.row)})::text, 'null')`
    case 'nodes': {
      const item = outputSql(output.output, frame, printer)
      const filter = counter
        ? sql` filter (where ${columnSql(frame.row, counter.number)} <= ${integer(counter.limit)})`
        : empty
      return sql`'[' || coalesce(string_agg(${item}, ',')${filter}, '') || ']'`
    }
    default:
      return output satisfies never
  }
}

function callSql({ operator, columns, distinct }: AggregateCall, row: Sql): Sql {
  if (columns.length === 0) return sql`count(*)`
  const list = columns.map((column) => columnSql(row, column))
  const argument = list.length === 1 ? list[0]! : sql`(${join(list)})`
  return sql`${trusted(operator)}(${distinct ? sql`distinct ` : empty}${argument})`
}
