// How long an answer holds: `Cache-Control`, else `Expires` (RFC 9111).

import { httpDate } from './http-date.ts'
import type { OutgoingResponse } from './request.ts'

/** When an answer ceases to hold. */
export interface Freshness {
  /** Milliseconds since 1970; null: not said. */
  readonly expiresAt: number | null
  /** What was said and could not be understood. */
  readonly problems: readonly string[]
}

/** Seconds that stand for any longer time (RFC 9111, 1.2.2). */
const longestSeconds = 2 ** 31

/** Values of directives by their names in lower case; null: without a value. */
type Directives = ReadonlyMap<string, readonly (string | null)[]>

const directive = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g

function directivesOf(text: string): Directives {
  const found = new Map<string, (string | null)[]>()
  for (const [, written, quoted, plain] of text.matchAll(directive)) {
    const name = written!.toLowerCase()
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? null
    found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}

/** The seconds that each age says; NaN: it says none. */
const agesOf = (directives: Directives): number[] =>
  ['s-maxage', 'max-age']
    .flatMap((name) => directives.get(name) ?? [])
    .map((value) => (value !== null && /^\d+$/.test(value) ? Math.min(Number(value), longestSeconds) : Number.NaN))

/** Reads both texts; the first that can be understood decides. `now` is in milliseconds since 1970. */
export function freshnessOf(cacheControl: string | undefined, expires: string | undefined, now: number): Freshness {
  const problems: string[] = []
  if (cacheControl !== undefined) {
    const ages = agesOf(directivesOf(cacheControl)).filter((age) => !Number.isNaN(age))
    if (ages.length > 0) return { expiresAt: now + Math.min(...ages) * 1000, problems }
    problems.push('Cache-Control holds neither max-age nor s-maxage')
  }
  if (expires !== undefined) {
    const expiresAt = httpDate(expires, now)
    if (expiresAt !== null) return { expiresAt, problems }
    problems.push('Expires is not a date such as Mon, 30 Mar 2020 13:25:18 GMT')
  }
  return { expiresAt: null, problems }
}

/**
 * When an answer has to be asked for again, by its headers, in milliseconds since 1970; null: they do not say. It is `now` where they
 * forbid to keep it, or say how long in a way that cannot be understood.
 */
export function answerExpiry(headers: OutgoingResponse['headers'], now: number): number | null {
  const cacheControl = headers['cache-control']
  const directives = directivesOf(textOf(cacheControl))
  if (mayNotBeKept(headers, directives)) return now
  const lifetime = lifetimeOf(headers, directives, now)
  if (lifetime === null) return directives.has('must-revalidate') ? now : null
  const age = /^\d+$/.test(textOf(headers['age'])) ? Number(headers['age']) : 0
  return now + Math.max(0, lifetime - age) * 1000
}

function mayNotBeKept(headers: OutgoingResponse['headers'], directives: Directives): boolean {
  if (directives.has('no-store')) return true
  // With a value it is about the headers that it names.
  if (directives.get('no-cache')?.includes(null)) return true
  if (headers['cache-control'] === undefined && directivesOf(textOf(headers['pragma'])).has('no-cache')) return true
  return /(^|,)\s*\*\s*(,|$)/.test(textOf(headers['vary']))
}

/** Seconds from when the answer was made; null: not said. */
function lifetimeOf(headers: OutgoingResponse['headers'], directives: Directives, now: number): number | null {
  const ages = agesOf(directives)
  // Of several the shortest; what is no number of seconds is an age of zero.
  if (ages.length > 0) return Math.min(...ages.map((age) => (Number.isNaN(age) ? 0 : age)))
  if (headers['expires'] === undefined) return null
  const expires = httpDate(textOf(headers['expires']), now)
  // The clocks of both servers may differ, and `Date` is of the same one.
  const date = httpDate(textOf(headers['date']), now) ?? now
  return expires === null ? 0 : Math.min((expires - date) / 1000, longestSeconds)
}

const textOf = (header: string | readonly string[] | undefined): string =>
  header === undefined ? '' : [header].flat().join(', ')
