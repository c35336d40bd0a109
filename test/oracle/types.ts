// The column types that take part: their values, how PostgreSQL orders and prints them, how requests write them.

import type { Draw } from './draw.ts'
import { type Expected, exactly, sameJson } from './expected.ts'
import { type Json, Num } from './json.ts'
import { compareJson } from './jsonb.ts'
import { compareDecimals, compareIntegers, type Decimal, decimal, decimalText, integer } from './numbers.ts'
import { compareText } from './texts.ts'

export type TypeName =
  | 'int'
  | 'bigint'
  | 'numeric'
  | 'float8'
  | 'text'
  | 'varchar'
  | 'boolean'
  | 'date'
  | 'timestamptz'
  | 'uuid'
  | 'jsonb'
  | 'int[]'

/** Not a number, of numeric. */
export const notANumber = 'NaN'

/** A value that is not NULL; of what kind, its type says. */
export type Datum = bigint | number | boolean | string | Decimal | Json | readonly (bigint | null)[]

export interface ColumnType<D extends Datum = Datum> {
  /** In CREATE TABLE. */
  readonly sql: string
  /** The name of the GraphQL scalar. */
  readonly scalar: string
  readonly numeric?: boolean
  readonly comparable?: boolean
  draw(draw: Draw): D
  /** The order of the B-tree. */
  compare(a: D, b: D): number
  /** PostgreSQL's input text. */
  text(datum: D): string
  expected(datum: D): Expected
  /** One of the ways to write it in a request. */
  input(datum: D, draw: Draw): Json
}

const smallIntegers: readonly bigint[] = [0n, 1n, 2n, 3n, 4n, 5n, -1n, -7n]

const int: ColumnType<bigint> = {
  sql: 'integer',
  scalar: 'Int',
  numeric: true,
  comparable: true,
  draw: (draw) =>
    draw.either([6, () => draw.pick(smallIntegers)], [1, () => draw.pick([2147483647n, -2147483648n, 42n])]),
  compare: compareIntegers,
  text: String,
  expected: (datum) => exactly(new Num(String(datum))),
  input: (datum) => new Num(String(datum)),
}

const bigIntegers = [9007199254740993n, 9223372036854775807n, -9223372036854775808n] as const

const bigint: ColumnType<bigint> = {
  ...int,
  sql: 'bigint',
  scalar: 'bigint',
  draw: (draw) => draw.either([4, () => draw.pick(smallIntegers)], [1, () => draw.pick(bigIntegers)]),
  input: (datum, draw) => (draw.chance(0.5) ? new Num(String(datum)) : String(datum)),
}

const decimals = ['0', '1', '1.0', '1.5', '1.50', '-2.25', '0.001', '100', '2', '12345678901234567890.123456789']

const numeric: ColumnType<Decimal | typeof notANumber> = {
  sql: 'numeric',
  scalar: 'numeric',
  numeric: true,
  comparable: true,
  draw: (draw) => (draw.chance(0.95) ? decimal(draw.pick(decimals)) : notANumber),
  compare(a, b) {
    if (a === notANumber || b === notANumber) return Number(a === notANumber) - Number(b === notANumber)
    return compareDecimals(a, b)
  },
  text: (datum) => (datum === notANumber ? notANumber : decimalText(datum)),
  expected: (datum) => exactly(datum === notANumber ? notANumber : new Num(decimalText(datum))),
  input: (datum, draw) => numberInput(numeric.text(datum), draw),
}

const numberInput = (text: string, draw: Draw): Json => (/\d/.test(text) && draw.chance(0.6) ? new Num(text) : text)

const doubles = [0, 1, -1, 0.5, 2.5, -1.25, 3, 1e10, 123456.789, 0.1]

const float8: ColumnType<number> = {
  sql: 'double precision',
  scalar: 'float8',
  numeric: true,
  comparable: true,
  draw: (draw) =>
    draw.either([20, () => draw.pick(doubles)], [1, () => draw.pick([Number.NaN, Infinity, -Infinity, 1e100, 1e-7])]),
  compare(a, b) {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
    return a < b ? -1 : a > b ? 1 : 0
  },
  text: String,
  expected: (value) => ({ kind: 'double', value }),
  input: (datum, draw) => numberInput(String(datum), draw),
}

const words = ['', 'a', 'A', 'b', 'ab', 'abc', 'aab', 'Zoë', 'élan', '😀', '中文', ' ', 'null']
const hardWords = [
  '%',
  '_',
  'a%b',
  'a_b',
  '\\',
  `it's`,
  'say "hi"',
  "'; drop table x; --",
  '$1',
  '{a,b}',
  'l\nm\tn',
  '\u0001',
]

/** Words that survive the way through an HTTP header. */
export const plainWords = ['a', 'A', 'b', 'ab', 'abc', 'it\'s "so"', '{a,b}', '50%', 'back\\slash']

const text: ColumnType<string> = {
  sql: 'text collate "C"',
  scalar: 'String',
  comparable: true,
  draw: (draw) =>
    draw.either(
      [6, () => draw.pick(words)],
      [2, () => draw.pick(hardWords)],
      [1, () => draw.pick(words) + draw.pick(hardWords) + draw.pick(words)],
    ),
  compare: compareText,
  text: (datum) => datum,
  expected: exactly,
  input: (datum) => datum,
}

const varchar: ColumnType<string> = { ...text, sql: 'varchar collate "C"' }

const boolean: ColumnType<boolean> = {
  sql: 'boolean',
  scalar: 'Boolean',
  draw: (draw) => draw.chance(0.5),
  compare: (a, b) => Number(a) - Number(b),
  text: String,
  expected: exactly,
  input: (datum) => datum,
}

const infinities = ['-infinity', 'infinity']

/** Of texts in a fixed format, and the infinities. */
function compareTimes(a: string, b: string): number {
  const place = (time: string) => (infinities.includes(time) ? (time === 'infinity' ? 1 : -1) : 0)
  return Math.sign(place(a) - place(b)) || (a < b ? -1 : a > b ? 1 : 0)
}

const date: ColumnType<string> = {
  sql: 'date',
  scalar: 'date',
  comparable: true,
  draw: (draw) =>
    draw.either(
      [8, () => `2020-02-2${draw.integer(5, 9)}`],
      [1, () => draw.pick(['0001-01-01', '9999-12-31', '1970-01-01', ...infinities])],
    ),
  compare: compareTimes,
  text: (datum) => datum,
  expected: exactly,
  input: (datum) => datum,
}

/** Values are `YYYY-MM-DDTHH:MM:SS.ffffff` in UTC. */
const timestamptz: ColumnType<string> = {
  sql: 'timestamptz',
  scalar: 'timestamptz',
  comparable: true,
  draw: (draw) =>
    draw.either(
      [
        8,
        () =>
          `2020-03-0${draw.integer(1, 3)}T0${draw.integer(0, 2)}:30:00.${draw.pick(['000000', '500000', '000001'])}`,
      ],
      [1, () => draw.pick(['1900-01-01T00:00:00.000000', ...infinities])],
    ),
  compare: compareTimes,
  text: (datum) => (infinities.includes(datum) ? datum : `${datum}Z`),
  expected: (datum) => exactly(infinities.includes(datum) ? datum : `${datum.replace(/\.?0+$/, '')}+00:00`),
  input: (datum, draw) => (infinities.includes(datum) ? datum : inZone(datum, draw.integer(-3, 3))),
}

/** The same moment as the clocks of another zone show it. */
function inZone(time: string, hours: number): string {
  const shifted = new Date(Date.parse(`${time.slice(0, 19)}Z`) + hours * 3_600_000).toISOString().slice(0, 19)
  return `${shifted}${time.slice(19)}${hours < 0 ? '-' : '+'}0${Math.abs(hours)}:00`
}

const uuid: ColumnType<string> = {
  sql: 'uuid',
  scalar: 'uuid',
  comparable: true,
  draw: (draw) => `${draw.pick(['00000000', 'a0b1c2d3', 'ffffffff'])}-0000-4000-8000-00000000000${draw.integer(0, 9)}`,
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  text: (datum) => datum,
  expected: exactly,
  input: (datum, draw) => (draw.chance(0.3) ? datum.toUpperCase() : datum),
}

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

const jsonb: ColumnType<Json> = {
  sql: 'jsonb',
  scalar: 'jsonb',
  draw: (draw) => drawJson(draw, 2),
  compare: compareJson,
  text: (datum) => JSON.stringify(datum),
  expected: sameJson,
  input: (datum) => datum,
}

type Numbers = readonly (bigint | null)[]

const intArray: ColumnType<Numbers> = {
  sql: 'integer[]',
  scalar: '_int4',
  draw: (draw) => draw.times(0, 3, () => (draw.chance(0.15) ? null : draw.pick([0n, 1n, 2n, -3n]))),
  compare(a, b) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const [left, right] = [a[i]!, b[i]!]
      const result =
        left === null || right === null ? Number(left === null) - Number(right === null) : compareIntegers(left, right)
      if (result !== 0) return result
    }
    return Math.sign(a.length - b.length)
  },
  text: (datum) => `{${datum.map((item) => item ?? 'NULL').join(',')}}`,
  expected: (datum) => sameJson(datum.map((item) => (item === null ? null : new Num(String(item))))),
  input(datum, draw) {
    if (draw.chance(0.7)) return intArray.text(datum)
    return datum.map((item) => (item === null ? null : new Num(String(item))))
  },
}

const all = { int, bigint, numeric, float8, text, varchar, boolean, date, timestamptz, uuid, jsonb, 'int[]': intArray }

/** The types by name; a type is only ever given its own values. */
export const columnTypes = all as unknown as Readonly<Record<TypeName, ColumnType>>

export const typeNames = Object.keys(all) as TypeName[]

/** A number of an exact type as a decimal; NaN has none. */
export function exactNumber(datum: Datum): Decimal | null {
  if (typeof datum === 'bigint') return integer(datum)
  return datum === notANumber ? null : (datum as Decimal)
}
