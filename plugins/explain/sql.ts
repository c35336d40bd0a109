// Statements as they are shown: with the values in their places, or as a subscription's poller sends them.

import { literal, type Statement } from '../../sdk/sql.ts'

/** Strings and identifiers, which are left alone, and parameters. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g

function withParameters(text: string, replacement: (index: number) => string): string {
  return text.replace(tokens, (token, number: string | undefined) => {
    return number === undefined ? token : replacement(Number(number) - 1)
  })
}

/** The text with its parameters' values in their places. */
export function inlined({ text }: Statement, values: readonly (string | null)[]): string {
  return withParameters(text, (index) => {
    const value = values[index]
    return value === null || value === undefined ? 'NULL' : String(literal(value).parts[0])
  })
}

/** The statement for many subscribers at once: `$1` are their ids, `$2` the values of each, in a JSON array. */
export function multiplexed({ text }: Statement): string {
  const answer = withParameters(text, (index) => `("subscribers"."values" ->> ${index})`)
  const subscribers = 'unnest($1::uuid[], $2::json[]) as "subscribers" ("id", "values")'
  return `select "subscribers"."id", "answer"."j" from ${subscribers} left join lateral (${answer}) as "answer" ("j") on true`
}
