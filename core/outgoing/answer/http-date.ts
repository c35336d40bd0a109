// Parses dates and `Retry-After` in headers, in the three forms that a recipient has to accept (RFC 9110, 5.6.7).

import type { OutgoingResponse } from '../request.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const month = `(?<month>${months.join('|')})`
const short = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const long = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'
const time = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)'

const forms = [
  new RegExp(`^${short}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^${long}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^${short} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
]

/** Milliseconds since 1970; null if the text is not an HTTP date. `now` decides the century of two-digit years. */
export function httpDate(text: string, now: number): number | null {
  const groups = forms.map((form) => form.exec(text)?.groups).find((found) => found !== undefined)
  if (!groups) return null
  const { year: writtenYear = '', day: writtenDay = '' } = groups
  const [hour, minute, second, day] = [groups['hour'], groups['minute'], groups['second'], writtenDay].map(Number)
  const year = writtenYear.length === 2 ? fullYear(Number(writtenYear), now) : Number(writtenYear)
  const date = new Date(0)
  date.setUTCFullYear(year, months.indexOf(groups['month']!), day!)
  // Refuse dates such as 30 February.
  if (date.getUTCDate() !== day) return null
  return date.setUTCHours(hour!, minute!, second!)
}

/** The year with these last two digits that is at most fifty years in the future. */
function fullYear(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + digits
  return year > thisYear + 50 ? year - 100 : year
}

const mostSeconds = 999_999_999

/** Returns the seconds to wait, from a number or a date; null if the header is missing, malformed or in the past. */
export function retryAfterOf(headers: OutgoingResponse['headers'], now: number): number | null {
  const [given] = [headers['retry-after'] ?? []].flat()
  const text = given?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : secondsUntil(text, headers, now)
  return seconds > 0 ? Math.min(seconds, mostSeconds) : null
}

/** Compares with the response's `Date`, which comes from the same clock. Returns 0 if the text is not a date. */
function secondsUntil(text: string, headers: OutgoingResponse['headers'], now: number): number {
  const date = httpDate(text, now)
  const sent = httpDate(String(headers['date'] ?? ''), now) ?? now
  return date === null ? 0 : Math.ceil((date - sent) / 1000)
}
