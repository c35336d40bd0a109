// Cursors: base64 of `{"title" : "A", "id" : 3}`, the values of a row by which the connection is ordered.

import type { OrderedValue } from '../../../sdk/graphql.ts'
import { TrellisError, validationFailed, within } from '../../../sdk/index.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import { type Codec, encodeArray, join, literal, roundTripJson, type Sql, sql, stringCodec } from '../../../sdk/sql.ts'
import { base64Json, base64Sql } from './base64.ts'
import { keyText } from './key-text.ts'

/** The values of a cursor by name, those of related rows one level deeper. */
type Tree = Map<string, Sql | Tree>

/** The cursor of a row; `columns` hold the values. */
export function cursorSql(values: readonly OrderedValue[], columns: readonly Sql[]): Sql {
  const tree: Tree = new Map()
  for (const [i, { key, type }] of values.entries()) {
    let level = tree
    for (const name of key.slice(0, -1)) {
      const below = level.get(name)
      const next: Tree = below instanceof Map ? below : new Map()
      level.set(name, next)
      level = next
    }
    level.set(key.at(-1)!, roundTripJson(columns[i]!, type))
  }
  return base64Sql(sql`${objectSql(tree)}::text`)
}

function objectSql(tree: Tree): Sql {
  const members = [...tree].map(([name, value]) => {
    return sql`${literal(name)}, ${value instanceof Map ? objectSql(value) : value}`
  })
  return sql`json_build_object(${join(members)})`
}

const invalidCursor = () => validationFailed('the "after" or "before" cursor is invalid')

/** A cursor as an array of the texts of its values; refusals are located below the arguments of the field. */
export const cursorCodec = (argument: string, values: readonly OrderedValue[]): Codec => ({
  type: stringCodec.type,
  encode(value, kind) {
    const cursor = parseCursor(within(argument, () => stringCodec.encode(value, kind)))
    return encodeArray(values.map((ordered) => cursorText(cursor, ordered)))
  },
})

function parseCursor(cursor: string): unknown {
  try {
    return base64Json(cursor)
  } catch {
    throw invalidCursor()
  }
}

function cursorText(cursor: unknown, { key, type }: OrderedValue): string | null {
  let value = cursor
  for (const name of key) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) throw invalidCursor()
    value = value[name]
  }
  try {
    return keyText(type, value)
  } catch (error) {
    throw error instanceof TrellisError ? invalidCursor() : error
  }
}
