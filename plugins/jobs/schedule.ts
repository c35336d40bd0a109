// When jobs are due. The occurrences depend on the schedule alone, so all instances agree on them.

import { Cron } from 'croner'
import { longestStep, WallClock } from './wall-clock.ts'

/** Five fields of cron in an IANA time zone (default: UTC); an interval in milliseconds; or once. */
export type Schedule =
  | { readonly cron: string; readonly timezone?: string }
  | { readonly every: number }
  | { readonly at: Date }

/** The occurrences of a schedule; times are milliseconds since 1970. */
export interface Occurrences {
  /** Equal for two schedules with the same occurrences. */
  readonly text: string
  /** The last one up to and including a moment; null: there is no such time. */
  latest(moment: number): number | null
  /** The first one after a moment; null: there is no such time. */
  next(moment: number): number | null
}

/** The schedule of jobs that run only on request. */
export const never: Occurrences = { text: '', latest: () => null, next: () => null }

/** The longest time between two occurrences that timers and dates can hold. */
const longestInterval = 366 * 24 * 3_600_000

/** Reads a schedule; throws a `TypeError` with the reason if it is invalid. */
export function occurrencesOf(schedule: Schedule | null | undefined): Occurrences {
  if (!schedule) return never
  if ('cron' in schedule) return cronOccurrences(schedule.cron, schedule.timezone ?? 'UTC')
  if ('every' in schedule) return regularOccurrences(schedule.every)
  return soleOccurrence(schedule.at)
}

function cronOccurrences(cron: string, timezone: string): Occurrences {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) throw new TypeError(`"${cron}" is not a cron expression: it must have five fields`)
  const clock = clockOf(timezone)
  const expression = fields.join(' ')
  const shown = shownTimes(expression)
  const next = isEachHour.test(fields[1]!) ? goingOn(shown, clock) : onceEach(shown, clock)
  if (next(Date.now()) === null) throw new TypeError(`"${cron}" is not a cron expression: it is never due`)
  return { text: `${expression} ${timezone}`, latest: latestBy(next), next }
}

/** The times of an expression in a zone that never sets its clocks: a function from a time to the next one. */
function shownTimes(expression: string): Occurrences['next'] {
  try {
    const parsed = new Cron(expression, { timezone: 'UTC', paused: true })
    return (shown) => parsed.nextRun(new Date(shown))?.getTime() ?? null
  } catch (error) {
    throw new TypeError(`"${expression}" is not a cron expression: ${(error as Error).message}`)
  }
}

const isEachHour = /^(\*|0-23)(\/1)?$/

/** A time that the clocks skip is due right after the change; one that they show twice is due the first time. */
const onceEach =
  (nextShown: Occurrences['next'], clock: WallClock): Occurrences['next'] =>
  (moment) => {
    for (let shown = nextShown(clock.shown(moment)); shown !== null; shown = nextShown(shown)) {
      const due = clock.moments(shown)[0] ?? clock.setForward(shown)
      if (due > moment) return due
    }
    return null
  }

/** A skipped time is not due, and one that is shown twice is due twice, so that hourly schedules stay hourly. */
const goingOn =
  (nextShown: Occurrences['next'], clock: WallClock): Occurrences['next'] =>
  (moment) => {
    const now = clock.shown(moment)
    const soon = nextShown(now)
    if (soon === null) return null
    const at = moment + (soon - now)
    // The clocks are not changed before then.
    if (at < moment + longestStep && clock.shown(at) === soon) return at
    const [before, after] = clock.offsetsAround(now)
    let first: number | null = null
    for (let shown = nextShown(now - Math.max(0, before - after)); shown !== null; shown = nextShown(shown)) {
      if (first !== null && shown - Math.max(...clock.offsetsAround(shown)) >= first) return first
      const due = clock.moments(shown).find((each) => each > moment)
      if (due !== undefined && (first === null || due < first)) first = due
    }
    return first
  }

/** How far to look back for the last occurrence: the 29th of February can be eight years apart, around most centuries. */
const longestPause = 20 * 366 * 24 * 3_600_000

/** The last occurrence, found by stepping forward, so that looking back and looking ahead agree. */
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

function clockOf(name: string): WallClock {
  try {
    // Fixed offsets are not IANA zones.
    if (!/^[+-]/.test(name)) return new WallClock(name)
  } catch {
    // The error follows below.
  }
  throw new TypeError(`"${name}" is not an IANA time zone`)
}

function regularOccurrences(every: number): Occurrences {
  if (!Number.isInteger(every) || every < 1 || every > longestInterval) {
    throw new TypeError(`${every} is not a valid interval in milliseconds`)
  }
  const latest = (moment: number) => Math.floor(moment / every) * every
  return { text: `every ${every} ms`, latest, next: (moment) => latest(moment) + every }
}

/** The time of a date from a plugin; throws if it is invalid. */
export function momentOf(at: Date): number {
  const time = at instanceof Date ? at.getTime() : Number.NaN
  if (Number.isNaN(time)) throw new TypeError(`${at} is not a valid date`)
  return time
}

function soleOccurrence(at: Date): Occurrences {
  const time = momentOf(at)
  return {
    text: `at ${at.toISOString()}`,
    latest: (moment) => (time <= moment ? time : null),
    next: (moment) => (time > moment ? time : null),
  }
}
