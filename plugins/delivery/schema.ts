// What people configure of a webhook: the headers that are sent with it.

import { type Dialect, parseFailed, Type, type WireObject } from '../../sdk/index.ts'
import { decode, own } from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'

export interface HeaderFromValue {
  name: string
  value: string
}

export interface HeaderFromEnv {
  name: string
  value_from_env: string
}

/** A header that is sent with a webhook: its value, or the variable of the server's environment that holds it. */
export type ConfiguredHeader = HeaderFromValue | HeaderFromEnv

/** RFC 9110, 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const Name = Type.Object({ name: Type.String() }, { missingKey: 'A' })
const FromValue = Type.Object({ value: Type.String() })
const FromEnv = Type.Object({ value_from_env: Type.String({ minLength: 1 }) })

const absent = Type.Optional(Type.Null())

const shown = Type.Union([
  Type.Object({ name: Type.String(), value: Type.String(), value_from_env: absent }),
  Type.Object({ name: Type.String(), value: absent, value_from_env: Type.String({ minLength: 1 }) }),
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
  return given[0] === 'value' ? { name, ...headerValue(value) } : { name, ...headerVariable(value, reserved) }
}

function headerValue(given: unknown): Pick<HeaderFromValue, 'value'> {
  const { value } = decode(FromValue, given)
  for (const character of ['\r', '\n', '\0']) {
    if (value.includes(character)) throw parseFailed('the value of a header is one line of text', ['value'])
  }
  return { value }
}

function headerVariable(given: unknown, reserved: string): Pick<HeaderFromEnv, 'value_from_env'> {
  const { value_from_env } = decode(FromEnv, given)
  if (value_from_env.startsWith(reserved)) {
    throw parseFailed(`env variables starting with "${reserved}" are not allowed in value_from_env: ${value_from_env}`)
  }
  return { value_from_env }
}
