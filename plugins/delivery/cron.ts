// Cron expressions: five fields, and when they are due in a time zone.

import { parseFailed, Type } from '../../sdk/index.ts'
import { occurrencesOf } from '../jobs/index.ts'

const shorthands: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Numbers, lists, ranges and steps: what else the library knows is no part of the interface. */
const field = /^[\d*,/-]+$/

/** The greatest value of each field. */
const greatest = [59, 23, 31, 12, 7]

/** `5/20` is short for `5-59/20`. */
const withoutOpenSteps = (text: string, i: number): string => text.replace(/(^|,)(\d+)\//g, `$1$2-${greatest[i]}/`)

/** An expression in its five fields; refuses what is none, or is never due. */
export function readCron(text: string): string {
  const trimmed = text.trim()
  const fields = (shorthands[trimmed.toLowerCase()] ?? trimmed).split(/\s+/)
  if (fields.length !== 5 || !fields.every((each) => field.test(each))) {
    throw parseFailed(
      `invalid cron expression ${JSON.stringify(text)}: expected five fields of numbers, *, lists, ranges and steps`,
    )
  }
  const expression = fields.map(withoutOpenSteps).join(' ')
  try {
    occurrencesOf({ cron: expression })
    return expression
  } catch (error) {
    throw parseFailed(`invalid cron expression ${JSON.stringify(text)}: ${(error as Error).message}`)
  }
}

/** An expression as an argument. */
export const CronExpression = Type.String({ convert: readCron, shown: Type.String({ examples: ['0 2 * * *'] }) })

/** A name of the IANA database; refuses others. */
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

/** Cron in a time zone; absent: UTC. */
export interface Schedule {
  readonly schedule: string
  readonly timezone?: string
}

/** The next times after a moment at which something is due. */
export function occurrencesAfter({ schedule, timezone = 'UTC' }: Schedule, moment: Date, count: number): Date[] {
  const { next } = occurrencesOf({ cron: schedule, timezone })
  const found: Date[] = []
  for (let time = next(moment.getTime()); time !== null && found.length < count; time = next(time)) {
    found.push(new Date(time))
  }
  return found
}
