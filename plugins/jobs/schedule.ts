// When jobs are due. The occurrences of a schedule depend on nothing but the schedule, so all instances agree on them.

import { CronExpressionParser } from 'cron-parser'

/** Five fields of cron in a time zone of the IANA database (absent: UTC); each so many milliseconds; or once. */
export type Schedule =
  | { readonly cron: string; readonly timezone?: string }
  | { readonly every: number }
  | { readonly at: Date }

/** The occurrences of a schedule; times are milliseconds since 1970. */
export interface Occurrences {
  /** Two schedules with the same occurrences have the same text. */
  readonly text: string
  /** The last one up to a moment, itself included; null: none. */
  latest(moment: number): number | null
  /** The first one after a moment; null: none. */
  next(moment: number): number | null
}

/** Of jobs that run only when they are woken. */
export const never: Occurrences = { text: '', latest: () => null, next: () => null }

/** Longest time between two occurrences, so that timers and dates can hold it. */
const longestInterval = 366 * 24 * 3_600_000

/** Reads a schedule; throws a `TypeError` that says what is wrong with it. */
export function occurrencesOf(schedule: Schedule | null | undefined): Occurrences {
  if (!schedule) return never
  if ('cron' in schedule) return cronOccurrences(schedule.cron, schedule.timezone ?? 'UTC')
  if ('every' in schedule) return regularOccurrences(schedule.every)
  return soleOccurrence(schedule.at)
}

function cronOccurrences(cron: string, timezone: string): Occurrences {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) throw new TypeError(`"${cron}" is no cron expression: it has not five fields`)
  requireTimeZone(timezone)
  const expression = fields.join(' ')
  const from = (moment: number) => {
    return CronExpressionParser.parse(expression, { tz: timezone, currentDate: new Date(moment) })
  }
  try {
    from(Date.now()).next()
  } catch (error) {
    throw new TypeError(`"${cron}" is no cron expression: ${(error as Error).message}`)
  }
  return {
    text: `${expression} ${timezone}`,
    latest: (moment) =>
      from(moment + 1)
        .prev()
        .getTime(),
    next: (moment) => from(moment).next().getTime(),
  }
}

function requireTimeZone(name: string): void {
  try {
    // Offsets are no places: they have no rules of their own.
    if (!/^[+-]/.test(name)) return void new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    // Said below.
  }
  throw new TypeError(`"${name}" is no time zone of the IANA database`)
}

function regularOccurrences(every: number): Occurrences {
  if (!Number.isInteger(every) || every < 1 || every > longestInterval) {
    throw new TypeError(`${every} is no number of milliseconds for a job to wait`)
  }
  const latest = (moment: number) => Math.floor(moment / every) * every
  return { text: `every ${every} ms`, latest, next: (moment) => latest(moment) + every }
}

function soleOccurrence(at: Date): Occurrences {
  const time = at instanceof Date ? at.getTime() : Number.NaN
  if (Number.isNaN(time)) throw new TypeError(`${at} is no time for a job to run at`)
  return {
    text: `at ${at.toISOString()}`,
    latest: (moment) => (time <= moment ? time : null),
    next: (moment) => (time > moment ? time : null),
  }
}
