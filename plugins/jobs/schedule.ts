// When jobs are due. The occurrences of a schedule depend on nothing but the schedule, so all instances agree on them.

import { Cron } from 'croner'

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

/** Times are those of the clocks of the zone: one that they skip is due when they have been set, one that they have twice is due the first time. */
function cronOccurrences(cron: string, timezone: string): Occurrences {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) throw new TypeError(`"${cron}" is no cron expression: it has not five fields`)
  requireTimeZone(timezone)
  const expression = fields.join(' ')
  const next = nextOf(expression, timezone)
  if (next(Date.now()) === null) throw new TypeError(`"${cron}" is no cron expression: it is never due`)
  return { text: `${expression} ${timezone}`, latest: latestBy(next), next }
}

function nextOf(expression: string, timezone: string): Occurrences['next'] {
  try {
    const parsed = new Cron(expression, { timezone, paused: true })
    return (moment) => parsed.nextRun(new Date(moment))?.getTime() ?? null
  } catch (error) {
    throw new TypeError(`"${expression}" is no cron expression: ${(error as Error).message}`)
  }
}

/** How far back something is looked for that was due: the 29th of February is eight years apart where a century is in between. */
const longestPause = 20 * 366 * 24 * 3_600_000

/** The last occurrence as those before it tell, so that whoever looks back and whoever looks ahead see the same ones. */
function latestBy(next: Occurrences['next']): Occurrences['latest'] {
  let known: { readonly from: number; readonly until: number } | null = null
  return (moment) => {
    if (known && known.from <= moment && moment < known.until) return known.from
    for (let back = 60_000; back < longestPause; back *= 2) {
      let found = next(moment - back)
      if (found === null || found > moment) continue
      let following = next(found)
      while (following !== null && following <= moment) {
        found = following
        following = next(found)
      }
      known = { from: found, until: following ?? Number.POSITIVE_INFINITY }
      return found
    }
    return null
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
