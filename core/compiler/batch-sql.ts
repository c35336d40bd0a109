// A statement for many sets of values at once: the parameters of the one that answers a single set come from the rows of a
// batch.

import type { Statement } from '../database/sql.ts'

/** Strings and identifiers, which are left alone, and parameters. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g

/** The text with something else in the places of its parameters, which are counted from 0. */
export const withParameters = (text: string, replacement: (index: number) => string): string =>
  text.replace(tokens, (token, number: string | undefined) => {
    return number === undefined ? token : replacement(Number(number) - 1)
  })

/** A row has no more columns than these. */
const maxColumns = 1600

/**
 * The statement that answers a batch, with the columns `id` and `j`: `$1` are the ids of the sets, uuids, `$2` the values of
 * each in a JSON array.
 */
export function batchText({ text, params }: Statement): string {
  // Taken out of the array once, not for each row that is compared with them.
  const isTakenOut = params.length > 0 && params.length <= maxColumns
  const columns = params.map((_, index) => `"values" ->> ${index} as "${index}"`)
  const given = isTakenOut ? ` cross join lateral (select ${columns.join(', ')} offset 0) as "given"` : ''
  const answer = withParameters(text, (index) => {
    return isTakenOut ? `"given"."${index}"` : `("subscribers"."values" ->> ${index})`
  })
  const batch = `unnest($1::uuid[], $2::json[]) as "subscribers" ("id", "values")${given}`
  return `select "subscribers"."id", "answer"."j" from ${batch} left join lateral (${answer}) as "answer" ("j") on true`
}

/** Between the answers of a batch that come as one value: no JSON text holds it. */
const separator = 0x1e

/** The same as one value, so that the bytes of the answers can be handed on as they are; {@link readBatch} reads it. */
export const batchAsOneValue = (text: string): string =>
  `select string_agg("id" || ' ' || coalesce("j", ''), E'\\x1e') from (${text}) as "answers" ("id", "j")`

const idLength = 36

/** The answers of a batch by id; empty where the statement gave none. */
export function readBatch(bytes: Buffer | null): ReadonlyMap<string, Buffer> {
  const answers = new Map<string, Buffer>()
  if (!bytes) return answers
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(separator, start)
    const end = next < 0 ? bytes.length : next
    answers.set(bytes.toString('latin1', start, start + idLength), bytes.subarray(start + idLength + 1, end))
    start = end + 1
  }
  return answers
}
