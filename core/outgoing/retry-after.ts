// Parses `Retry-After`.

import { httpDate } from './http-date.ts'
import type { OutgoingResponse } from './request.ts'

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
