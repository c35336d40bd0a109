// Decides which headers outgoing requests have.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Dialect } from '../names/dialect.ts'
import { version } from '../names/version.ts'

/** Header names, in any case, with their values; a value's characters are bytes (Latin-1). */
export type OutgoingHeaders = Readonly<Record<string, string>>

/** Headers about the client's own request or browser, which are never forwarded. */
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

/** Headers of the client's connection (RFC 9110, 7.6.1), which do not apply to another connection. */
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

/** The client's headers that another server may receive, names in lower case. */
export function clientHeaders(headers: RequestHeaders): Record<string, string> {
  const passed = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || neverForwarded.has(name) || ofConnection.has(name)) return []
    return [[name, textOf(value)] as const]
  })
  return Object.fromEntries(passed)
}

/** The headers for `forward_client_headers`: without session variables, plus the original host and user agent. */
export function forwardedHeaders(headers: RequestHeaders, dialect: Dialect): Record<string, string> {
  const passed = Object.entries(clientHeaders(headers)).filter(([name]) => !name.startsWith(dialect.sessionPrefix))
  const { host, 'user-agent': userAgent } = headers
  return {
    ...Object.fromEntries(passed),
    ...(host !== undefined && { 'x-forwarded-host': host }),
    ...(userAgent !== undefined && { 'x-forwarded-user-agent': userAgent }),
  }
}

/** Headers that the client sets by itself or per connection. Other values of these would make the request fail. */
const ownHeader =
  /^(content-type|user-agent|content-length|expect|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

/**
 * Adds the headers of every outgoing request; given headers with these names are ignored. `coding` is the accepted
 * content coding, unless a header sets it.
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

/** The headers of a request with another `Content-Type`; null: without one, undefined: unchanged. */
export function typed(headers: Record<string, string>, contentType: string | null | undefined): Record<string, string> {
  if (contentType === undefined) return headers
  const { 'content-type': _, ...others } = headers
  return contentType === null ? others : { ...others, 'content-type': contentType }
}

const secretName =
  /authorization|cookie|secret|token|passw|pwd|credential|jwt|signature|session|(api|private|access)-?key|(^|-)(auth|pass)(-|$)/i

/** Whether a header of this name usually holds a secret, so that its value must not be shown. */
export const isSecretHeader = (name: string): boolean => secretName.test(name)
