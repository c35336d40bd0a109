// Constraints of a table on its rows, with the texts of PostgreSQL's errors.

import { sameStored } from './aggregates.ts'
import { addDecimals } from './numbers.ts'
import { serverVersion } from './server-version.ts'
import { exactNumber } from './types.ts'
import type { Row, Stored, Table, Unique } from './world.ts'

/** An error of PostgreSQL as the API shows it. */
export interface Violation {
  readonly code: string
  readonly message: string
}

/** The row with the values of its generated columns. */
export function withGenerated(row: Row, { columns }: Table): Row {
  const generated = columns.flatMap(({ id, default: value }) => {
    return value?.kind === 'double' ? [[id, doubled(row[value.of] ?? null)]] : []
  })
  return generated.length === 0 ? row : { ...row, ...Object.fromEntries(generated) }
}

function doubled(stored: Stored): Stored {
  if (!stored) return null
  const number = exactNumber(stored.datum)
  return { datum: number ? addDecimals(number, number) : stored.datum }
}

/** The first constraint that a row violates by itself. */
export function ownViolation(row: Row, table: Table): Violation | null {
  const missing = table.columns.find(({ id, nullable }) => !nullable && (row[id] ?? null) === null)
  if (missing) {
    const relation = serverVersion() < 13 ? '' : ` of relation "${table.name}"`
    const message = `null value in column "${missing.name}"${relation} violates not-null constraint`
    return { code: 'constraint-violation', message: `Not-NULL violation. ${message}` }
  }
  const violated = checkViolation(row, table)
  if (violated === null) return null
  const message = `new row for relation "${table.name}" violates check constraint "${violated}"`
  return { code: 'permission-error', message: `Check constraint violation. ${message}` }
}

/** The name of the first check constraint that a row violates. */
export function checkViolation(row: Row, { checks, columns }: Table): string | null {
  const violated = checks.find(({ column, not }) => {
    const { type } = columns.find(({ id }) => id === column)!
    const stored = row[column] ?? null
    return stored !== null && sameStored(stored, { datum: not }, type)
  })
  return violated?.name ?? null
}

/** The existing row that conflicts with a row under a unique constraint. */
export function conflicting(unique: Unique, row: Row, rows: readonly Row[], { columns }: Table): Row | undefined {
  const types = unique.columns.map((id) => [id, columns.find((column) => column.id === id)!.type] as const)
  if (!unique.nullsAreEqual && types.some(([id]) => (row[id] ?? null) === null)) return undefined
  return rows.find(
    (other) => other !== row && types.every(([id, type]) => sameStored(row[id] ?? null, other[id] ?? null, type)),
  )
}

export const uniqueViolation = ({ name }: Unique): Violation => ({
  code: 'constraint-violation',
  message: `Uniqueness violation. duplicate key value violates unique constraint "${name}"`,
})
