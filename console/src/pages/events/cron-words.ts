// Cron expressions in words: five fields of numbers, lists, ranges and steps, as the server takes them.

const shorthands: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const months = [
  ...['', 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]

/** A field: all values, each n-th of them, single numbers, or a mixture of ranges and steps. */
type Field =
  | { readonly kind: 'all' }
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'numbers'; readonly numbers: readonly number[] }
  | { readonly kind: 'mixed'; readonly parts: readonly string[] }

function readField(text: string): Field {
  if (text === '*' || text === '*/1') return { kind: 'all' }
  const [, step] = /^\*\/(\d+)$/.exec(text) ?? []
  if (step !== undefined) return { kind: 'step', step: Number(step) }
  const parts = text.split(',')
  return parts.every((part) => /^\d+$/.test(part))
    ? { kind: 'numbers', numbers: parts.map(Number) }
    : { kind: 'mixed', parts }
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** A part such as `1-5/2`, with the names of its numbers. */
function partWords(part: string, nameOf: (number: number) => string): string {
  const [range = '', step] = part.split('/')
  const [first = '', last] = range.split('-')
  const named = (text: string) => nameOf(Number(text))
  const from = range === '*' ? '' : last === undefined ? named(first) : `${named(first)} to ${named(last)}`
  if (step === undefined) return from
  return `every ${step}${from === '' ? '' : ` from ${last === undefined ? `${from} on` : from}`}`
}

const valuesOf = (field: Field, nameOf: (number: number) => string): string =>
  field.kind === 'numbers'
    ? listed(field.numbers.map(nameOf))
    : field.kind === 'mixed'
      ? listed(field.parts.map((part) => partWords(part, nameOf)))
      : ''

const twoDigits = (number: number): string => String(number).padStart(2, '0')

function timeWords(minute: Field, hour: Field): string {
  if (minute.kind === 'numbers' && hour.kind === 'numbers') {
    const times = hour.numbers.flatMap((h) => minute.numbers.map((m) => `${twoDigits(h)}:${twoDigits(m)}`))
    return `at ${listed(times)}`
  }
  const minutes =
    minute.kind === 'all'
      ? 'every minute'
      : minute.kind === 'step'
        ? `every ${minute.step} minutes`
        : minute.kind === 'numbers' && minute.numbers.length === 1
          ? `at minute ${minute.numbers[0]}`
          : `at minutes ${valuesOf(minute, String)}`
  if (hour.kind === 'all') return minute.kind === 'all' || minute.kind === 'step' ? minutes : `${minutes} of every hour`
  if (hour.kind === 'step') return `${minutes} of every ${hour.step} hours`
  return `${minutes} of the hours ${valuesOf(hour, String)}`
}

function dayWords(day: Field, weekday: Field): string {
  const ofMonth =
    day.kind === 'all'
      ? ''
      : day.kind === 'step'
        ? `every ${day.step} days of the month`
        : `day ${valuesOf(day, String)} of the month`
  const ofWeek =
    weekday.kind === 'all'
      ? ''
      : weekday.kind === 'step'
        ? `every ${weekday.step} days of the week`
        : valuesOf(weekday, (number) => days[number] ?? String(number))
  const both = [ofMonth, ofWeek].filter((each) => each !== '')
  // A day that fits one of the two fields is due.
  return both.length === 0 ? 'every day' : `on ${both.join(' or on ')}`
}

const fieldText = /^[\d*,/-]+$/

/** A schedule in words, as "at 02:00, every day"; null: it is not one. */
export function cronWords(schedule: string): string | null {
  const trimmed = schedule.trim()
  const texts = (shorthands[trimmed.toLowerCase()] ?? trimmed).split(/\s+/)
  if (texts.length !== 5 || !texts.every((text) => fieldText.test(text))) return null
  const [minute, hour, day, month, weekday] = texts.map(readField) as [Field, Field, Field, Field, Field]
  const inMonths =
    month.kind === 'all'
      ? ''
      : month.kind === 'step'
        ? `, every ${month.step} months`
        : `, in ${valuesOf(month, (number) => months[number] ?? String(number))}`
  return `${timeWords(minute, hour)}, ${dayWords(day, weekday)}${inMonths}`
}
