// Cron expressions of five fields, and their due times in a time zone.

import { parseFailed, Type } from '../../sdk/index.ts'
import { occurrencesOf } from '../jobs/index.ts'

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

/** Numbers, lists, ranges and steps. The library knows more, which is not part of the interface. */
const field = /^[\d*,/-]+$/

/** The fields with their ranges. */
const fieldsOf = [
  { name: 'minute', least: 0, greatest: 59 },
  { name: 'hour', least: 0, greatest: 23 },
  { name: 'day of month', least: 1, greatest: 31 },
  { name: 'month', least: 1, greatest: 12 },
  { name: 'day of week', least: 0, greatest: 7 },
] as const

/** `5/20` is short for `5-59/20`. */
const withoutOpenSteps = (text: string, i: number): string =>
  text.replace(/(^|,)(\d+)\//g, `$1$2-${fieldsOf[i]?.greatest}/`)

/** The reason to refuse the numbers of a field; null: they are valid. The library accepts some invalid ones by wrapping around. */
function refusalOfNumbers(text: string, i: number): string | null {
  const { name, least, greatest } = fieldsOf[i]!
  const numbers = text.split(',').flatMap((part) => part.split('/')[0]?.match(/\d+/g) ?? [])
  const wrong = numbers.find((number) => Number(number) < least || Number(number) > greatest)
  return wrong === undefined ? null : `${name} ${wrong} is not between ${least} and ${greatest}`
}

/** Reads an expression into its five fields; refuses one that is invalid or never due. */
export function readCron(text: string): string {
  const trimmed = text.trim()
  const fields = (shorthands.get(trimmed.toLowerCase()) ?? trimmed).split(/\s+/)
  if (fields.length !== 5 || !fields.every((each) => field.test(each))) {
    throw parseFailed(
      `invalid cron expression ${JSON.stringify(text)}: expected five fields of numbers, *, lists, ranges and steps`,
    )
  }
  const refusal = fields.map(refusalOfNumbers).find((each) => each !== null)
  if (refusal) throw parseFailed(`invalid cron expression ${JSON.stringify(text)}: ${refusal}`)
  const expression = fields.map(withoutOpenSteps).join(' ')
  try {
    occurrencesOf({ cron: expression })
    return expression
  } catch (error) {
    const reason = (error as Error).message.replace(/^.*is not a cron expression: (CronPattern: )?/, '')
    throw parseFailed(`invalid cron expression ${JSON.stringify(text)}: ${reason}`)
  }
}

/** A cron expression as an argument. */
export const CronExpression = Type.String({ convert: readCron, shown: Type.String({ examples: ['0 2 * * *'] }) })

/** Reads the name of an IANA time zone; refuses others. */
export function readTimeZone(name: string): string {
  try {
    occurrencesOf({ cron: '0 0 * * *', timezone: name })
    return name
  } catch {
    throw parseFailed(`unknown time zone ${JSON.stringify(name)}`)
  }
}

/** A time zone as an argument. */
export const TimeZone = Type.String({ convert: readTimeZone, shown: Type.String({ examples: ['Europe/Berlin'] }) })

/** Cron in a time zone; the default is UTC. */
export interface Schedule {
  readonly schedule: string
  readonly timezone?: string
}

/** The due times after a moment: those up to now, at most `most`, and up to `ahead` future ones. */
export function occurrencesAfter(
  { schedule, timezone = 'UTC' }: Schedule,
  moment: Date,
  { now, most, ahead }: { readonly now: Date; readonly most: number; readonly ahead: number },
): Date[] {
  const { next } = occurrencesOf({ cron: schedule, timezone })
  const past: Date[] = []
  const future: Date[] = []
  for (let time = next(moment.getTime()); time !== null; time = next(time)) {
    const part = time > now.getTime() ? future : past
    part.push(new Date(time))
    if (past.length === most || future.length === ahead) break
  }
  return [...past, ...future]
}
