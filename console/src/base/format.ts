// Numbers, sizes and times for people.

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A whole number with separators: `1,013`. */
export const formatCount = (count: number): string => whole.format(count)

/** A rounded number: `~10 M`, and without the sign below 1,000. */
export const formatEstimate = (count: number): string =>
  count < 0 ? 'unknown' : `~${short.format(count).replace(/([KMBT])$/, ' $1')}`

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** A size: `16 kB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** A duration in milliseconds: `8 ms`, `1.2 s`. */
export const formatMillis = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })

/** A time of today: `14:03:21`. */
export const formatClock = (time: number): string => clock.format(time)

/** `1 table`, `3 tables`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** A time with its date, in the zone of the browser: `Nov 29, 2026, 14:03:21`. A text that is not a time stays. */
export function formatTime(at: string | number): string {
  const time = typeof at === 'number' ? at : Date.parse(at)
  return Number.isNaN(time) ? String(at) : moment.format(time)
}

const ago = new Intl.RelativeTimeFormat('en', { style: 'narrow' })
const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** The time since then in its largest unit, as `3h ago`; anything else as it is. */
export function formatAgo(text: string, now = Date.now()): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) return text
  const seconds = Math.max(0, Math.floor((now - time) / 1000))
  const [unit, size] = spans.find(([, each]) => seconds >= each) ?? (['second', 1] as const)
  return ago.format(-Math.floor(seconds / size), unit)
}
