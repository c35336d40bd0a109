// Values of columns as node ids and cursors hold them: JSON as PostgreSQL prints it, back in its input syntax.

import { parseFailed } from '../../../sdk/index.ts'
import type { PgType } from '../../../sdk/metadata.ts'
import { type JsonType, jsonType } from '../../../sdk/services.ts'
import { codecFor } from '../../../sdk/sql.ts'

/** The types whose values GraphQL's own scalars carry, with their names in messages and their JSON types. */
const standard: ReadonlyMap<string, readonly [name: string, json: JsonType]> = new Map([
  ['int4', ['Int32', 'Number']],
  ['float4', ['Float', 'Number']],
  ['bool', ['Bool', 'Boolean']],
  ['text', ['Text', 'String']],
  ['varchar', ['Text', 'String']],
])

/** The value in PostgreSQL's input syntax; a string is one already, whatever the type. Throws `parse-failed`. */
export function keyText(type: PgType, value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string') return value
  const [name, expected] = (type.isArray ? undefined : standard.get(type.name)) ?? []
  if (expected !== undefined && jsonType(value) !== expected) {
    throw parseFailed(`parsing ${name} failed, expected ${expected}, but encountered ${jsonType(value)}`)
  }
  return codecFor(type).encode(value)
}
