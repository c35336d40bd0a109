// The column types that take part, by name.

import type { Json } from './json.ts'
import { type Decimal, decimal, decimalText, integer } from './numbers.ts'
import { json, jsonb, plainNumber, withPlainNumbers } from './types/json.ts'
import { bigint, float4, float8, int, money, notANumber, numeric, smallint } from './types/numbers.ts'
import { bits, boolean, bytea, colour, inet, int4range, intArray, mood, pair, textArray, uuid } from './types/others.ts'
import { char, citext, label, text, varchar } from './types/texts.ts'
import { date, interval, time, timestamp, timestamptz, timetz } from './types/times.ts'
import type { ColumnType, Datum } from './types/type.ts'

export { jsonKeys } from './types/json.ts'
export { colours, quotedItem } from './types/others.ts'
export type { ColumnType, Datum } from './types/type.ts'

const numbers = { smallint, int, bigint, numeric, float4, float8, money }
const texts = { text, varchar, label, citext, char }
const times = { date, timestamp, timestamptz, time, timetz, interval }
const others = { boolean, uuid, json, jsonb, bytea, bits, inet, int4range, mood, pair, colour }
const all = { ...numbers, ...texts, ...times, ...others, 'int[]': intArray, 'text[]': textArray }

export type TypeName = keyof typeof all

/** The types by name; a type receives only its own values. */
export const columnTypes = all as unknown as Readonly<Record<TypeName, ColumnType>>

export const typeNames = Object.keys(all) as TypeName[]

/** A number of an exact type as a decimal; null for NaN. */
export function exactNumber(datum: Datum): Decimal | null {
  if (typeof datum === 'bigint') return integer(datum)
  return datum === notANumber ? null : (datum as Decimal)
}

/** The order of a type's values, if it has one. */
export function compareData(type: TypeName, a: Datum, b: Datum): number {
  const { compare } = columnTypes[type]
  if (!compare) throw new Error(`values of type ${type} cannot be compared`)
  return compare(a, b)
}

/** A value as metadata stores it: numbers without trailing zeros in their fractions. */
export function inMetadata(type: TypeName, datum: Datum): Datum {
  if (type === 'json' || type === 'jsonb') return withPlainNumbers(datum as Json)
  if (type !== 'numeric' || datum === notANumber) return datum
  return decimal(plainNumber(decimalText(datum as Decimal)))
}
