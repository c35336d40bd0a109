// Positions in streams: what a subscriber has been sent of a list of rows that only goes on. The statement takes a position
// as parameters, and gives the next one behind its answer.

import type { PreparedOperation } from '../../../../sdk/graphql.ts'
import { join, type ParamSource, type Sql, sql } from '../../../../sdk/sql.ts'
import { type MadeValues, sourceKey } from './made-values.ts'

/** A table has no more columns. */
const maxValues = 1600

const sources: ParamSource[] = []

/** The parameter for a value of the position; null as long as there is none. */
export function positionSource(index: number): ParamSource {
  if (index >= maxValues) throw new Error(`a position has at most ${maxValues} values`)
  sources[index] ??= { from: 'slot', slot: 0, column: index }
  return sources[index]
}

/** The answer of a stream's field with the position of the last of its rows behind it; `values` are those of a row. */
export const withPosition = (answer: Sql, values: readonly Sql[]): Sql => {
  const texts = values.map((value) => sql`${value}::text`)
  const last = sql`(array_agg(to_json(array[${join(texts)}])::text))[count(*)::int]`
  return sql`${answer} || E'\\x1e' || count(*) || ' ' || coalesce(${last}, '[]')`
}

/** No JSON text holds it. */
const separator = 0x1e

/** What stands behind the field in the body of an answer. */
const suffix = '}}'

/** Texts of PostgreSQL. */
export type Position = readonly string[]

export interface StreamAnswer {
  readonly body: Buffer
  readonly rows: number
  /** Behind the last row; null when there is none. */
  readonly position: Position | null
}

/** Takes the position out of a body, whose bytes are changed. */
export function takePosition(body: Buffer): StreamAnswer {
  const at = body.lastIndexOf(separator)
  const [count = '', json = ''] = split(body.toString('utf8', at + 1, body.length - suffix.length))
  body.write(suffix, at, 'latin1')
  const rows = Number(count)
  return { body: body.subarray(0, at + suffix.length), rows, position: rows > 0 ? JSON.parse(json) : null }
}

function split(text: string): readonly [string, string] {
  const space = text.indexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}

/** Whether the operation is a stream. */
export const isStream = ({ batch }: PreparedOperation): boolean =>
  batch?.memberParams.includes(positionSource(0)) === true

/** How far a subscriber has come: to which position, and with which times that were made when it began. */
export interface Progress {
  readonly position: Position | null
  readonly times: MadeValues | null
}

/** The values of a subscriber that has come so far. */
export function valuesAt({ batch }: PreparedOperation, values: string, { position, times }: Progress): string {
  if (position === null && times === null) return values
  const texts: (string | null)[] = JSON.parse(values)
  for (const [i, source] of batch!.memberParams.entries()) {
    const index = sources.indexOf(source)
    if (index >= 0) texts[i] = position?.[index] ?? null
    else texts[i] = times?.get(sourceKey(source)) ?? texts[i]!
  }
  return JSON.stringify(texts)
}
