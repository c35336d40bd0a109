// Headers of webhook calls, as sent and as logged.

import { type Dialect, version } from '../../../sdk/index.ts'
import type { ConfiguredHeader } from '../../../sdk/metadata.ts'
import { configuredHeaders, type Environment, isSecretHeader, type OutgoingHeaders } from '../../../sdk/services.ts'
import type { TransformedRequest } from '../../transforms/index.ts'

/** Headers with their resolved values. */
export interface ResolvedHeaders {
  readonly configured: readonly ConfiguredHeader[]
  readonly sent: OutgoingHeaders
  /** The `Content-Type` of a transformed request; null: none, absent: JSON. */
  readonly contentType?: string | null
}

/** The headers of a webhook without configured ones. */
export const noHeaders: ResolvedHeaders = { configured: [], sent: {} }

/** Looks up the values; refuses a variable that is not set. */
export const resolveHeaders = (headers: readonly ConfiguredHeader[], environment: Environment): ResolvedHeaders => ({
  configured: headers,
  sent: configuredHeaders(headers, environment),
})

/** The headers of a transformed request. Those that the transform has not touched are logged as they are configured. */
export function transformedHeaders(
  { configured, sent }: ResolvedHeaders,
  { headers, contentType }: Pick<TransformedRequest, 'headers' | 'contentType'>,
): ResolvedHeaders {
  const kept = configured.filter(({ name }) => headers[name.toLowerCase()] === sent[name.toLowerCase()])
  const names = new Set(kept.map(({ name }) => name.toLowerCase()))
  const added = Object.keys(headers).filter((name) => !names.has(name))
  const all = [...kept, ...added.map((name) => ({ name, value: textOf(headers[name]) }))]
  const isJson = contentType === 'application/json'
  return { configured: all, sent: headers, ...(!isJson && { contentType }) }
}

const masked = '<redacted>'

/** A header in a log. */
export type LoggedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string }

/** The request headers for the log: variables by name, secrets masked. */
export function loggedRequestHeaders(
  { configured, sent, contentType = 'application/json' }: ResolvedHeaders,
  { dialect, showsEnvironment }: { readonly dialect: Dialect; readonly showsEnvironment: boolean },
): LoggedHeader[] {
  const defaults = [
    ...(contentType === null ? [] : [{ name: 'Content-Type', value: contentType }]),
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
