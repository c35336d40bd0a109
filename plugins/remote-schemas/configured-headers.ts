// Headers that are configured: their values as they are, or in variables of the server's environment.

import { badRequest, type Dialect, parseFailed, Type } from '../../sdk/index.ts'
import { decode, own, type WireObject } from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'

/** A header that is sent with each request: its value, or the variable that holds it. */
export type ConfiguredHeader = { name: string; value: string } | { name: string; value_from_env: string }

/** RFC 9110, 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const Name = Type.Object({ name: Type.String() }, { missingKey: 'A' })
const FromValue = Type.Object({ value: Type.String() })
const FromEnv = Type.Object({ value_from_env: Type.String({ minLength: 1 }) })

const shown = Type.Union([
  Type.Object({ name: Type.String(), value: Type.String() }),
  Type.Object({ name: Type.String(), value_from_env: Type.String({ minLength: 1 }) }),
])

/** A header as it is written; variables that configure the server itself cannot be its value. */
export const configuredHeader = (dialect: Pick<Dialect, 'environmentPrefix'>) =>
  Type.Unsafe<ConfiguredHeader>(
    Type.Unknown({ shown, convert: (value: unknown) => readHeader(value, dialect.environmentPrefix) }),
  )

function readHeader(value: unknown, reserved: string): ConfiguredHeader {
  if (jsonType(value) !== 'Object') throw parseFailed('expecting object for headers')
  const { name } = decode(Name, value)
  if (!headerName.test(name)) throw parseFailed(`${JSON.stringify(name)} is not the name of a header`, ['name'])
  const given = ['value', 'value_from_env'].filter((key) => (own(value as WireObject, key) ?? null) !== null)
  if (given.length === 0) throw parseFailed('expecting value or value_from_env keys')
  if (given.length === 2) throw parseFailed('expecting only one of value or value_from_env keys')
  return given[0] === 'value' ? { name, value: headerValue(value) } : { name, ...headerVariable(value, reserved) }
}

function headerValue(given: unknown): string {
  const { value } = decode(FromValue, given)
  const isOneLine = !['\r', '\n', '\0'].some((character) => value.includes(character))
  if (isOneLine) return value
  throw parseFailed('the value of a header is one line of text', ['value'])
}

function headerVariable(given: unknown, reserved: string): { value_from_env: string } {
  const { value_from_env } = decode(FromEnv, given)
  if (!value_from_env.startsWith(reserved)) return { value_from_env }
  const rule = `env variables starting with "${reserved}" are not allowed in value_from_env`
  throw parseFailed(`${rule}: ${value_from_env}`)
}

/** The names, in lower case, with their values; refuses a variable that is not set. */
export function resolvedHeaders(
  headers: readonly ConfiguredHeader[],
  environment: (name: string) => string | undefined,
): Record<string, string> {
  const resolved = headers.map((header) => {
    const value = 'value' in header ? header.value : environment(header.value_from_env)
    if (value !== undefined) return [header.name.toLowerCase(), headerBytes(value)]
    const variable = 'value' in header ? '' : header.value_from_env
    throw badRequest('not-found', `environment variable '${variable}' not set`)
  })
  return Object.fromEntries(resolved)
}

/** A header's characters are bytes. */
export const headerBytes = (value: string): string => Buffer.from(value).toString('latin1')
