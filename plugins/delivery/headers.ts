// Headers as they are sent, and as logs show them.

import { badRequest, type Dialect, version } from '../../sdk/index.ts'
import type { ConfiguredHeader } from './schema.ts'

/** A header with its value at hand. */
export interface ResolvedHeader {
  readonly name: string
  readonly value: string
  /** The variable that holds it; null: it was written as it is. */
  readonly variable: string | null
}

/** Looks the values up; refuses a variable that is not set. */
export function resolveHeaders(
  headers: readonly ConfiguredHeader[],
  environment: (name: string) => string | undefined,
): ResolvedHeader[] {
  return headers.map((header) => {
    if ('value' in header) return { ...header, variable: null }
    const { name, value_from_env: variable } = header
    return { name, value: environmentValue(variable, environment), variable }
  })
}

/** The value of a variable; refuses one that is not set. */
export function environmentValue(name: string, environment: (name: string) => string | undefined): string {
  const value = environment(name)
  if (value === undefined) throw badRequest('not-found', `environment variable '${name}' not set`)
  return value
}

/** The header fields of a request: their characters are bytes. */
export const sentHeaders = (headers: readonly ResolvedHeader[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, Buffer.from(value).toString('latin1')]))

/** What holds secrets more often than not. */
const secretName = /authorization|cookie|secret|token|password|api-?key/i

const masked = '<redacted>'

/** A header as logs keep it. */
export type LoggedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly value_from_env: string }

/** The headers of a request for its log: variables by their names, secrets not at all. */
export function loggedRequestHeaders(
  headers: readonly ResolvedHeader[],
  { dialect, showsEnvironment }: { readonly dialect: Dialect; readonly showsEnvironment: boolean },
): LoggedHeader[] {
  const defaults = [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'User-Agent', value: `${dialect.userAgent}/${version}` },
  ]
  return [
    ...defaults,
    ...headers.map(({ name, value, variable }): LoggedHeader => {
      if (variable !== null && !showsEnvironment) return { name, value_from_env: variable }
      return { name, value: secretName.test(name) && !showsEnvironment ? masked : value }
    }),
  ]
}

/** The headers of an answer for its log. */
export const loggedResponseHeaders = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): LoggedHeader[] =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value: secretName.test(name) ? masked : value })),
  )
