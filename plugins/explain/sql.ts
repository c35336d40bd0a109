// Statements as they are shown: with the values in their places.

import { literal, type Statement, withParameters } from '../../sdk/sql.ts'

/** The text with its parameters' values in their places. */
export function inlined({ text }: Statement, values: readonly (string | null)[]): string {
  return withParameters(text, (index) => {
    const value = values[index]
    return value === null || value === undefined ? 'NULL' : String(literal(value).parts[0])
  })
}
