// What is wrong with the value of an option, where its type cannot say it: the reason, or null.

import { refusalOfHosts, spelledOut } from '../database/wire/connection-url.ts'

/** `*`, or what a browser sends as Origin, where the first label of the host may be a wildcard. */
const corsDomain = /^(\*|https?:\/\/(\*\.)?[^\s/:*,]+(:\d+)?)$/

/** Refuses what no browser would send as the origin of a page. */
export function checkCorsDomains(domains: readonly string[]): string | null {
  const bad = domains.find((domain) => !corsDomain.test(domain))
  const expected = 'All domains should have scheme + (optional wildcard) host + (optional port)'
  return bad === undefined ? null : `invalid domain: '${bad}'. ${expected}`
}

const databaseSchemes = ['postgres:', 'postgresql:']

/** Refuses what is no URL of a PostgreSQL. */
export function checkDatabaseUrl(given: string): string | null {
  const url = spelledOut(given)
  const scheme = URL.canParse(url) ? new URL(url).protocol : null
  const severalHosts = refusalOfHosts(url)
  if (severalHosts !== null) return severalHosts
  if (scheme !== null && databaseSchemes.includes(scheme)) return null
  return 'Only expecting a URL such as postgres://user:password@host:5432/database, special characters percent-encoded'
}
