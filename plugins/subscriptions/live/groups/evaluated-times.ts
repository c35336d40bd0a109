// Values that PostgreSQL reads as the current time, such as `now`. A stream evaluates them once, when it begins. Otherwise its
// start would move with the time, and no row would ever come after it.

import type { PreparedBatch } from '../../../../sdk/graphql.ts'
import type { Database, ParamSource } from '../../../../sdk/sql.ts'
import { mayBeClock } from '../writes/reads.ts'

/** Texts by {@link sourceKey}. */
export type EvaluatedTimes = ReadonlyMap<string, string>

type Texts = readonly (string | null)[]

/** A key that is the same for the same value of a request in another plan. */
export function sourceKey(source: ParamSource): string {
  if (source.from !== 'input') return JSON.stringify(source)
  const { input, codec, list } = source
  return JSON.stringify({ input, type: codec.type, list })
}

/** Values of subscribers, each a JSON array of texts, with their times evaluated; in the same order. */
export async function evaluateTimes(
  database: Pick<Database, 'rows'>,
  { memberTypes }: PreparedBatch,
  values: readonly string[],
): Promise<readonly string[]> {
  const given = values.map((each) => JSON.parse(each) as Texts)
  const isTime = (index: number): boolean => memberTypes[index] !== null && given.some((texts) => isClock(texts[index]))
  const times = memberTypes.flatMap((type, index) => (isTime(index) ? [{ index, type }] : []))
  if (times.length === 0) return values
  const made = times.map(({ index, type }) => `((v ->> ${index})::${type})::text`)
  const rows = await database.rows<{ texts: Texts }>(
    `select array[${made.join()}] as texts from unnest($1::json[]) with ordinality as given (v, place) order by place`,
    [values],
  )
  return given.map((texts, i) => {
    const whole = [...texts]
    for (const [at, { index }] of times.entries()) if (isClock(whole[index])) whole[index] = rows[i]!.texts[at]!
    return JSON.stringify(whole)
  })
}

const isClock = (text: string | null | undefined): boolean => text != null && mayBeClock(text)

/** The evaluated times among a subscriber's values, needed when it is replanned. */
export function timesIn({ memberParams }: PreparedBatch, given: string, made: string): EvaluatedTimes {
  const [before, after] = [JSON.parse(given) as Texts, JSON.parse(made) as Texts]
  return new Map(
    memberParams.flatMap((source, i) => {
      const text = after[i]
      return typeof text === 'string' && text !== before[i] ? [[sourceKey(source), text] as const] : []
    }),
  )
}
