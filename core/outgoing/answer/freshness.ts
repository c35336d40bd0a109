// Computes how long a response is fresh, from `Cache-Control` or else `Expires` (RFC 9111).

import type { OutgoingResponse } from '../request.ts'
import { httpDate } from './http-date.ts'

/** When a response expires. */
export interface Freshness {
  /** Milliseconds since 1970; null: not specified. */
  readonly expiresAt: number | null
  /** Errors in the headers. */
  readonly problems: readonly string[]
}

/** The RFC's value for any longer time, in seconds (RFC 9111, 1.2.2). */
const longestSeconds = 2 ** 31

/** Values of directives by lower-case name; null: no value. */
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

/** The seconds of each age directive; NaN: malformed. */
const agesOf = (directives: Directives): number[] =>
  ['s-maxage', 'max-age']
    .flatMap((name) => directives.get(name) ?? [])
    .map((value) => (value !== null && /^\d+$/.test(value) ? Math.min(Number(value), longestSeconds) : Number.NaN))

/** Reads `Cache-Control`, then `Expires`; the first valid one decides. `now` is in milliseconds since 1970. */
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
 * Returns when a response expires, in milliseconds since 1970; null: not specified. It is `now` if the headers forbid
 * caching or are malformed.
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
  // With a value, `no-cache` concerns only the headers that it lists.
  if (directives.get('no-cache')?.includes(null)) return true
  if (headers['cache-control'] === undefined && directivesOf(textOf(headers['pragma'])).has('no-cache')) return true
  return /(^|,)\s*\*\s*(,|$)/.test(textOf(headers['vary']))
}

/** Seconds since the response was created; null: not specified. */
function lifetimeOf(headers: OutgoingResponse['headers'], directives: Directives, now: number): number | null {
  const ages = agesOf(directives)
  // The shortest of several ages; a malformed age counts as zero.
  if (ages.length > 0) return Math.min(...ages.map((age) => (Number.isNaN(age) ? 0 : age)))
  if (headers['expires'] === undefined) return null
  const expires = httpDate(textOf(headers['expires']), now)
  // The servers' clocks may differ, so compare with `Date`, which comes from the same clock.
  const date = httpDate(textOf(headers['date']), now) ?? now
  return expires === null ? 0 : Math.min((expires - date) / 1000, longestSeconds)
}

const textOf = (header: string | readonly string[] | undefined): string =>
  header === undefined ? '' : [header].flat().join(', ')
