// Headers as they are sent, and as logs show them.

import { type Dialect, version } from '../../sdk/index.ts'
import type { ConfiguredHeader } from '../../sdk/metadata.ts'
import { configuredHeaders, type Environment, isSecretHeader, type OutgoingHeaders } from '../../sdk/services.ts'

/** Headers with their values at hand. */
export interface ResolvedHeaders {
  readonly configured: readonly ConfiguredHeader[]
  readonly sent: OutgoingHeaders
}

/** Of a webhook that has none. */
export const noHeaders: ResolvedHeaders = { configured: [], sent: {} }

/** Looks the values up; refuses a variable that is not set. */
export const resolveHeaders = (headers: readonly ConfiguredHeader[], environment: Environment): ResolvedHeaders => ({
  configured: headers,
  sent: configuredHeaders(headers, environment),
})

const masked = '<redacted>'

/** A header as logs keep it. */
export type LoggedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string }

/** The headers of a request for its log: variables by their names, secrets not at all. */
export function loggedRequestHeaders(
  { configured, sent }: ResolvedHeaders,
  { dialect, showsEnvironment }: { readonly dialect: Dialect; readonly showsEnvironment: boolean },
): LoggedHeader[] {
  const defaults = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: `${dialect.userAgent}/${version}` },
  ]
  return [
    ...defaults,
    ...configured.map((header): LoggedHeader => {
      const { name } = header
      if ('value' in header) return { name, value: isSecretHeader(name) && !showsEnvironment ? masked : header.value }
      return showsEnvironment ? { name, value: textOf(sent[name.toLowerCase()]) } : header
    }),
  ]
}

/** Characters of a header that is sent are bytes. */
const textOf = (value: string | readonly string[] | undefined): string =>
  Buffer.from(String(value ?? ''), 'latin1').toString()

/** The headers of an answer for its log. */
export function loggedResponseHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): LoggedHeader[] {
  const logged: LoggedHeader[] = []
  for (const name in headers) {
    const given = headers[name] ?? []
    const isSecret = isSecretHeader(name)
    for (const value of typeof given === 'string' ? [given] : given) {
      logged.push({ name, value: isSecret ? masked : value })
    }
  }
  return logged
}
