// Values that PostgreSQL reads as the time at hand, such as `now`. A stream has them made once, when it begins: its beginning
// would move on with the time otherwise, and no row would ever be behind it.

import type { PreparedBatch } from '../../../../sdk/graphql.ts'
import type { Database, ParamSource } from '../../../../sdk/sql.ts'
import { mayBeClock } from '../hearing/reads.ts'

/** Texts by {@link sourceKey}. */
export type MadeValues = ReadonlyMap<string, string>

type Texts = readonly (string | null)[]

/** The same for the same value of a request in another plan. */
export function sourceKey(source: ParamSource): string {
  if (source.from !== 'input') return JSON.stringify(source)
  const { input, codec, list } = source
  return JSON.stringify({ input, type: codec.type, list })
}

/** The values of subscribers, each a JSON array of texts, with the times in them made, in the same order. */
export async function makeTimes(
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

/** The times among the values of a subscriber, for when it is planned anew. */
export function timesIn({ memberParams }: PreparedBatch, given: string, made: string): MadeValues {
  const [before, after] = [JSON.parse(given) as Texts, JSON.parse(made) as Texts]
  return new Map(
    memberParams.flatMap((source, i) => {
      const text = after[i]
      return typeof text === 'string' && text !== before[i] ? [[sourceKey(source), text] as const] : []
    }),
  )
}
