// Positions in streams: how far a subscriber has come in a list of rows that only grows. The statement takes a position as
// parameters, and appends the next one to its answer.

import type { PreparedOperation } from '../../../../sdk/graphql.ts'
import { join, type ParamSource, type Sql, sql } from '../../../../sdk/sql.ts'
import { type EvaluatedTimes, sourceKey } from './evaluated-times.ts'

/** The maximum number of columns of a table. */
const maxValues = 1600

const sources: ParamSource[] = []

/** The parameter for a value of the position; null before the first row. */
export function positionSource(index: number): ParamSource {
  if (index >= maxValues) throw new Error(`a position has at most ${maxValues} values`)
  sources[index] ??= { from: 'slot', slot: 0, column: index }
  return sources[index]
}

/** A stream's answer, followed by the position of its last row; `values` are those of a row. */
export const withPosition = (answer: Sql, values: readonly Sql[]): Sql => {
  const texts = values.map((value) => sql`${value}::text`)
  const last = sql`(array_agg(to_json(array[${join(texts)}])::text))[count(*)::int]`
  return sql`${answer} || E'\\x1e' || count(*) || ' ' || coalesce(${last}, '[]')`
}

/** JSON texts never contain this byte. */
const separator = 0x1e

/** The end of a position, which is an array. Only braces follow in the body: of `data`, and of a namespace. */
const end = ']'

/** Values as PostgreSQL texts. */
export type Position = readonly string[]

export interface StreamAnswer {
  readonly body: Buffer
  readonly rows: number
  /** The position of the last row; null without rows. */
  readonly position: Position | null
}

/** Removes the position from a body; changes its bytes. */
export function takePosition(body: Buffer): StreamAnswer {
  const at = body.lastIndexOf(separator)
  const after = body.lastIndexOf(end) + 1
  const [count = '', json = ''] = split(body.toString('utf8', at + 1, after))
  body.copyWithin(at, after)
  const rows = Number(count)
  return { body: body.subarray(0, at + body.length - after), rows, position: rows > 0 ? JSON.parse(json) : null }
}

function split(text: string): readonly [string, string] {
  const space = text.indexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}

/** Whether the operation is a stream. */
export const isStream = ({ batch }: PreparedOperation): boolean =>
  batch?.memberParams.includes(positionSource(0)) === true

/** The state of a stream's subscriber: its position, and the times evaluated when it began. */
export interface Progress {
  readonly position: Position | null
  readonly times: EvaluatedTimes | null
}

/** A subscriber's values at this progress. */
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
