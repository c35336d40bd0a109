// Cursors of `browse_rows`: the values of the last row by which rows are ordered, and the condition on the rows after it.

import { badRequest } from '../../sdk/index.ts'
import type { ColumnModel } from '../../sdk/metadata.ts'
import type { Condition } from '../../sdk/sql.ts'

/** A column by which rows are ordered. */
export interface OrderedColumn {
  readonly column: ColumnModel
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

/** Longer cursors are not given: they would be sent with each page. */
const longestCursor = 16_000

/** The cursor behind a row; null: it would be too long. */
export function cursorOf(values: readonly unknown[]): string | null {
  const text = Buffer.from(JSON.stringify(values)).toString('base64url')
  return text.length > longestCursor ? null : text
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
