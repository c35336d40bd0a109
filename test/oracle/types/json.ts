// The JSON types.

import type { Draw } from '../draw.ts'
import { sameJson } from '../expected.ts'
import { isList, isObject, type Json, Num } from '../json.ts'
import { compareJson } from '../jsonb.ts'
import type { ColumnType } from './type.ts'

export const jsonKeys = ['a', 'b', 'aa', 'odd key', 'é', '0', "it's"] as const

const jsonScalars: readonly Json[] = [
  null,
  true,
  false,
  'a',
  'b',
  '',
  'é"\\',
  new Num('0'),
  new Num('1'),
  new Num('1.0'),
]
const jsonNumbers = ['-1', '1.5', '10', '12345678901234567890', '0.1'].map((number) => new Num(number))

function drawJson(draw: Draw, depth: number): Json {
  const scalar = () => draw.pick([...jsonScalars, ...jsonNumbers])
  if (depth === 0) return scalar()
  const inner = () => drawJson(draw, depth - 1)
  return draw.either<Json>(
    [3, scalar],
    [3, () => draw.times(0, 3, inner)],
    [4, () => Object.fromEntries(draw.some(jsonKeys, 0.35).map((key) => [key, inner()]))],
  )
}

export const jsonb: ColumnType<Json> = {
  sql: 'jsonb',
  scalar: 'jsonb',
  draw: (draw) => drawJson(draw, 2),
  compare: compareJson,
  text: (datum) => JSON.stringify(datum),
  expected: sameJson,
  input: (datum) => datum,
}

export const json: ColumnType<Json> = { ...jsonb, sql: 'json', scalar: 'json', compare: null }

/** The same value without trailing zeros in fractions. */
export function withPlainNumbers(value: Json): Json {
  if (value instanceof Num) return new Num(plainNumber(value.text))
  if (isList(value)) return value.map(withPlainNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withPlainNumbers(member)]))
}

/** A number without trailing zeros in its fraction. */
export const plainNumber = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
