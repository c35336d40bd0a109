// Headers of webhook calls, as sent and as logged.

import { type Dialect, version } from '../../sdk/index.ts'
import type { ConfiguredHeader } from '../../sdk/metadata.ts'
import { configuredHeaders, type Environment, isSecretHeader, type OutgoingHeaders } from '../../sdk/services.ts'

/** Headers with their resolved values. */
export interface ResolvedHeaders {
  readonly configured: readonly ConfiguredHeader[]
  readonly sent: OutgoingHeaders
}

/** The headers of a webhook without configured ones. */
export const noHeaders: ResolvedHeaders = { configured: [], sent: {} }

/** Looks up the values; refuses a variable that is not set. */
export const resolveHeaders = (headers: readonly ConfiguredHeader[], environment: Environment): ResolvedHeaders => ({
  configured: headers,
  sent: configuredHeaders(headers, environment),
})

const masked = '<redacted>'

/** A header in a log. */
export type LoggedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string }

/** The request headers for the log: variables by name, secrets masked. */
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

/** Header values are sent as bytes, one per character. */
const textOf = (value: string | readonly string[] | undefined): string =>
  Buffer.from(String(value ?? ''), 'latin1').toString()

/** The response headers for the log. */
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
