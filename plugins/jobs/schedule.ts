// When jobs are due. The occurrences of a schedule depend on nothing but the schedule, so all instances agree on them.

import { Cron } from 'croner'
import { longestStep, WallClock } from './wall-clock.ts'

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
  const clock = clockOf(timezone)
  const expression = fields.join(' ')
  const shown = shownTimes(expression)
  const next = isEachHour.test(fields[1]!) ? goingOn(shown, clock) : onceEach(shown, clock)
  if (next(Date.now()) === null) throw new TypeError(`"${cron}" is no cron expression: it is never due`)
  return { text: `${expression} ${timezone}`, latest: latestBy(next), next }
}

/** The times of an expression on clocks that are never set: the first one after another. */
function shownTimes(expression: string): Occurrences['next'] {
  try {
    const parsed = new Cron(expression, { timezone: 'UTC', paused: true })
    return (shown) => parsed.nextRun(new Date(shown))?.getTime() ?? null
  } catch (error) {
    throw new TypeError(`"${expression}" is no cron expression: ${(error as Error).message}`)
  }
}

const isEachHour = /^(\*|0-23)(\/1)?$/

/** A time that the clocks skip is due when they have been set, one that they show twice is due the first time. */
const onceEach =
  (nextShown: Occurrences['next'], clock: WallClock): Occurrences['next'] =>
  (moment) => {
    for (let shown = nextShown(clock.shown(moment)); shown !== null; shown = nextShown(shown)) {
      const due = clock.moments(shown)[0] ?? clock.setForward(shown)
      if (due > moment) return due
    }
    return null
  }

/** A time that the clocks skip is not due, one that they show twice is due both times: so it goes on from hour to hour. */
const goingOn =
  (nextShown: Occurrences['next'], clock: WallClock): Occurrences['next'] =>
  (moment) => {
    const now = clock.shown(moment)
    const soon = nextShown(now)
    if (soon === null) return null
    const at = moment + (soon - now)
    // The clocks are not set until then.
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

function clockOf(name: string): WallClock {
  try {
    // Offsets are no places: they have no rules of their own.
    if (!/^[+-]/.test(name)) return new WallClock(name)
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

/** The moment of a date that a plugin gives; throws when it is none. */
export function momentOf(at: Date): number {
  const time = at instanceof Date ? at.getTime() : Number.NaN
  if (Number.isNaN(time)) throw new TypeError(`${at} is no time for a job to run at`)
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
