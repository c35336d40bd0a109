// Cursors of `browse_rows`: the values of the last row by which rows are ordered, and the condition on the rows after it.

import { badRequest } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import { type Condition, id, integer, join, type Output, sql } from '../../sdk/sql.ts'
import { longestCursor } from './tuning.ts'

/** A column by which rows are ordered. */
export interface OrderedColumn {
  readonly column: ColumnModel
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

/** The output of a row's cursor values: null if a cursor of them would be too long. */
export const cursorOutput = (order: readonly OrderedColumn[]): Output => ({
  kind: 'sql',
  build: (row) => {
    const values = order.map(({ column }) => sql`${row}.${id(column.name)}::text`)
    return sql`(select case when octet_length("v") <= ${integer(longestCursor)} then "v" else 'null' end
      from (select json_build_array(${join(values)})::text as "v" offset 0) as "cursor")`
  },
})

/** The cursor behind a row; refuses one that would be too long, because the next page could not be asked for. */
export function cursorOf(values: readonly unknown[] | null): string {
  if (values) return Buffer.from(JSON.stringify(values)).toString('base64url')
  const message = 'the last row of the page has values that are too long for a cursor: order by other columns'
  throw badRequest('not-supported', message, { path: ['order_by'] })
}

const isValue = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && !value.includes('\0'))

function valuesIn(cursor: string, count: number): readonly (string | null)[] {
  const wrong = () => badRequest('parse-failed', 'the cursor belongs to another order', { path: ['after'] })
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw wrong()
  }
  if (!Array.isArray(values) || values.length !== count || !values.every(isValue)) throw wrong()
  return values
}

const isNull = (column: string, negated = false): Condition => ({ kind: 'null', column, negated })

const compared = ({ name, type }: ColumnModel, operator: string, value: string): Condition => ({
  ...{ kind: 'compare', column: name, operator },
  operand: { kind: 'param', source: { from: 'constant', value }, type: type.sql },
})

/** The rows whose value of the column comes later; null: no row comes later. */
function later({ column, direction, nulls }: OrderedColumn, value: string | null): Condition | null {
  if (value === null) return nulls === 'first' ? isNull(column.name, true) : null
  const beyond = compared(column, direction === 'asc' ? '_gt' : '_lt', value)
  return nulls === 'first' ? beyond : { kind: 'or', of: [beyond, isNull(column.name)] }
}

/** The condition on the rows after a cursor. */
export function afterCursor(order: readonly OrderedColumn[], cursor: string): Condition {
  const values = valuesIn(cursor, order.length)
  const same = order.map(({ column }, i): Condition => {
    const value = values[i]!
    return value === null ? isNull(column.name) : compared(column, '_eq', value)
  })
  const branches = order.flatMap((each, i): Condition[] => {
    const beyond = later(each, values[i]!)
    return beyond ? [{ kind: 'and', of: [...same.slice(0, i), beyond] }] : []
  })
  return branches.length === 0 ? { kind: 'false' } : { kind: 'or', of: branches }
}
