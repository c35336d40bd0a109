// `Retry-After`: when a server that refuses a request wants to be asked again.

import { httpDate } from './http-date.ts'
import type { OutgoingResponse } from './request.ts'

const mostSeconds = 999_999_999

/** Seconds to wait, from a number of them or a date; null: the answer does not say, or the time is over. */
export function retryAfterOf(headers: OutgoingResponse['headers'], now: number): number | null {
  const [given] = [headers['retry-after'] ?? []].flat()
  const text = given?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : secondsUntil(text, headers, now)
  return seconds > 0 ? Math.min(seconds, mostSeconds) : null
}

/** By the server's clock, where it says what that shows; 0: the text is no date. */
function secondsUntil(text: string, headers: OutgoingResponse['headers'], now: number): number {
  const date = httpDate(text, now)
  const sent = httpDate(String(headers['date'] ?? ''), now) ?? now
  return date === null ? 0 : Math.ceil((date - sent) / 1000)
}
