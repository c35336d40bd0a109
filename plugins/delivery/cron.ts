// Cron expressions: five fields, and when they are due in a time zone.

import { CronExpressionParser } from 'cron-parser'
import { parseFailed, Type } from '../../sdk/index.ts'

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

/** An expression in its five fields; refuses what is none, or is never due. */
export function readCron(text: string): string {
  const trimmed = text.trim()
  const fields = (shorthands[trimmed.toLowerCase()] ?? trimmed).split(/\s+/)
  if (fields.length !== 5 || !fields.every((each) => field.test(each))) {
    throw parseFailed(
      `invalid cron expression ${JSON.stringify(text)}: expected five fields of numbers, *, lists, ranges and steps`,
    )
  }
  const expression = fields.join(' ')
  try {
    CronExpressionParser.parse(expression, { tz: 'UTC' }).next()
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
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    throw parseFailed(`unknown time zone ${JSON.stringify(name)}`)
  }
  // Offsets are no places: they have no rules of their own.
  if (/^[+-]/.test(name)) throw parseFailed(`unknown time zone ${JSON.stringify(name)}`)
  return name
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
  const expression = CronExpressionParser.parse(schedule, { tz: timezone, currentDate: moment })
  const found: Date[] = []
  while (found.length < count) {
    const next = expression.next().toDate()
    // Two times of the clock may fall on one moment when it is set forward.
    if (next.getTime() !== found.at(-1)?.getTime()) found.push(next)
  }
  return found
}
