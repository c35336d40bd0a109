// Which headers leave the server, for all outgoing requests alike.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Dialect } from '../names/dialect.ts'
import { version } from '../names/version.ts'

/** Header names, in any case, with their values; a value's characters are bytes (Latin-1). */
export type OutgoingHeaders = Readonly<Record<string, string>>

/** What concerns the client's own request or browser, and is never sent on. */
const neverForwarded: ReadonlySet<string> = new Set([
  'accept',
  'accept-datetime',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-length',
  'content-md5',
  'content-type',
  'dnt',
  'host',
  'origin',
  'referer',
  'user-agent',
])

/** What concerns the client's connection (RFC 9110, 7.6.1): another connection cannot carry it. */
const ofConnection: ReadonlySet<string> = new Set([
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const textOf = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(', '))

/** The client's headers that another server may get to see, names in lower case. */
export function clientHeaders(headers: RequestHeaders): Record<string, string> {
  const passed = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || neverForwarded.has(name) || ofConnection.has(name)) return []
    return [[name, textOf(value)] as const]
  })
  return Object.fromEntries(passed)
}

/** The client's headers as `forward_client_headers` sends them: without session variables, with where they came from. */
export function forwardedHeaders(headers: RequestHeaders, dialect: Dialect): Record<string, string> {
  const passed = Object.entries(clientHeaders(headers)).filter(([name]) => !name.startsWith(dialect.sessionPrefix))
  const { host, 'user-agent': userAgent } = headers
  return {
    ...Object.fromEntries(passed),
    ...(host !== undefined && { 'x-forwarded-host': host }),
    ...(userAgent !== undefined && { 'x-forwarded-user-agent': userAgent }),
  }
}

/** What every request has, and what the connection says by itself: with another value of these no request would get out. */
const ownHeader =
  /^(content-type|user-agent|content-length|expect|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

/**
 * The headers with those that every outgoing request has; others of their names are left out. `coding`: the content coding that is asked
 * for, unless a header says it.
 */
export function withDefaults(
  headers: OutgoingHeaders,
  dialect: Pick<Dialect, 'userAgent'>,
  coding: string,
): Record<string, string> {
  const sent: Record<string, string> = {}
  let hasCoding = false
  for (const name of Object.keys(headers)) {
    if (ownHeader.test(name)) continue
    sent[name] = headers[name]!
    hasCoding ||= /^accept-encoding$/i.test(name)
  }
  if (!hasCoding) sent['accept-encoding'] = coding
  sent['content-type'] = 'application/json'
  sent['user-agent'] = `${dialect.userAgent}/${version}`
  return sent
}

const secretName =
  /authorization|cookie|secret|token|passw|pwd|credential|jwt|signature|session|(api|private|access)-?key|(^|-)(auth|pass)(-|$)/i

/** Whether a header of that name holds a secret, more often than not, so that its value is not to be shown. */
export const isSecretHeader = (name: string): boolean => secretName.test(name)
