// Configured headers of requests to other servers.

import { Type } from '@sinclair/typebox'
import { parseFailed } from '../errors/errors.ts'
import type { PathKey } from '../errors/path.ts'
import { isJsonObject } from '../json/json.ts'
import type { Dialect } from '../names/dialect.ts'
import type { DecodePart } from './decode.ts'

export interface HeaderFromValue {
  name: string
  value: string
}

export interface HeaderFromEnv {
  name: string
  value_from_env: string
}

/** A header, with its value or with the environment variable that holds it. */
export type ConfiguredHeader = HeaderFromValue | HeaderFromEnv

/** RFC 9110, 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const Given = Type.Object(
  { name: Type.String(), value: Type.Optional(Type.String()), value_from_env: Type.Optional(Type.String()) },
  { missingKey: 'A' },
)

const absent = Type.Optional(Type.Null())

const shown = Type.Union([
  Type.Object({ name: Type.String(), value: Type.String(), value_from_env: absent }),
  Type.Object({ name: Type.String(), value: absent, value_from_env: Type.String({ minLength: 1 }) }),
])

/** The schema of a configured header. Variables that configure the server itself cannot be its value. */
export const configuredHeader = (dialect: Pick<Dialect, 'environmentPrefix'>) =>
  Type.Unsafe<ConfiguredHeader>(
    Type.Unknown({
      shown,
      convert: (value: unknown, decodePart: DecodePart) => readHeader(value, dialect.environmentPrefix, decodePart),
    }),
  )

/** The name without white space around it, which documents of later engines have; refuses an invalid name. */
export function readHeaderName(given: string, path: readonly PathKey[]): string {
  const name = given.trim()
  if (headerName.test(name)) return name
  throw parseFailed(`${JSON.stringify(name)} is not a valid header name`, path)
}

function readHeader(given: unknown, reserved: string, decodePart: DecodePart): ConfiguredHeader {
  if (!isJsonObject(given)) throw parseFailed('expecting object for headers')
  const { name: spelled, value, value_from_env: variable } = decodePart(Given, given)
  const name = readHeaderName(spelled, ['name'])
  if (value === undefined) {
    if (variable === undefined) throw parseFailed('expecting value or value_from_env keys')
    return { name, value_from_env: checkVariable(variable, reserved) }
  }
  if (variable !== undefined) throw parseFailed('expecting only one of value or value_from_env keys')
  if (['\r', '\n', '\0'].some((character) => value.includes(character))) {
    throw parseFailed('a header value must be a single line of text', ['value'])
  }
  return { name, value }
}

function checkVariable(name: string, reserved: string): string {
  if (name === '') throw parseFailed('empty string not allowed', ['value_from_env'])
  if (!name.startsWith(reserved)) return name
  throw parseFailed(`env variables starting with "${reserved}" are not allowed in value_from_env: ${name}`)
}
