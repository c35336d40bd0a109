// Types that GraphQL passes as PostgreSQL texts, and types without a group of their own.

import type { Draw } from '../draw.ts'
import { exactly, sameJson } from '../expected.ts'
import { type Json, Num } from '../json.ts'
import { compareIntegers } from '../numbers.ts'
import { compareText } from '../texts.ts'
import { type ColumnType, compareValues } from './type.ts'

export const boolean: ColumnType<boolean> = {
  sql: 'boolean',
  scalar: 'Boolean',
  draw: (draw) => draw.chance(0.5),
  compare: (a, b) => Number(a) - Number(b),
  text: String,
  expected: exactly,
  input: (datum) => datum,
}

export const uuid: ColumnType<string> = {
  sql: 'uuid',
  scalar: 'uuid',
  comparable: true,
  draw: (draw) => `${draw.pick(['00000000', 'a0b1c2d3', 'ffffffff'])}-0000-4000-8000-00000000000${draw.integer(0, 9)}`,
  compare: compareValues,
  text: (datum) => datum,
  expected: exactly,
  input: (datum, draw) => (draw.chance(0.3) ? datum.toUpperCase() : datum),
}

/** A type with one notation for each value. */
const ofTexts = (sql: string, texts: readonly string[], compare: (a: string, b: string) => number) => ({
  sql,
  scalar: sql,
  draw: (draw: Draw) => draw.pick(texts),
  compare,
  text: (datum: string) => datum,
  expected: exactly,
  input: (datum: string): Json => datum,
})

export const bytea: ColumnType<string> = ofTexts(
  'bytea',
  ['\\x', '\\x00', '\\x00ff', '\\xdead', '\\xff'],
  compareValues,
)

/** `bit(3)`. */
export const bits: ColumnType<string> = {
  ...ofTexts('bit', ['000', '001', '010', '101', '111'], compareValues),
  sql: 'bit(3)',
}

const moods = ['sad', 'so so', 'Happy'] as const

/** A PostgreSQL enum, in the order of its declaration. */
export const mood: ColumnType<string> = {
  ...ofTexts('mood', moods, (a, b) => Math.sign(moods.indexOf(a as never) - moods.indexOf(b as never))),
  setup: `create type mood as enum (${moods.map((value) => `'${value}'`).join(', ')})`,
}

/** The values of the enum table that a world has. */
export const colours = ['red', 'green', 'Blue'] as const

/** A column that refers to the enum table. */
export const colour: ColumnType<string> = {
  ...ofTexts('text collate "C"', colours, compareText),
  scalar: 'colour_enum',
  kind: 'enum',
}

/** Addresses with their number and the length of their network. */
const addresses: Readonly<Record<string, readonly [address: number, bits: number]>> = {
  '10.0.0.0/8': [0x0a000000, 8],
  '10.0.0.0': [0x0a000000, 32],
  '10.0.0.1': [0x0a000001, 32],
  '10.0.0.1/24': [0x0a000001, 24],
  '192.168.0.0/16': [0xc0a80000, 16],
}

/** By the common part of the networks, then by their length, then by the rest. */
function compareAddresses(a: string, b: string): number {
  const [[left, leftBits], [right, rightBits]] = [addresses[a]!, addresses[b]!]
  const masked = (address: number) => Math.floor(address / 2 ** (32 - Math.min(leftBits, rightBits)))
  return compareValues(masked(left), masked(right)) || compareValues(leftBits, rightBits) || compareValues(left, right)
}

export const inet: ColumnType<string> = ofTexts('inet', Object.keys(addresses), compareAddresses)

/** Canonical ranges; absent bounds are infinite, and the empty range has no bounds. */
const ranges: Readonly<Record<string, readonly [from: number, to: number]>> = {
  empty: [-Infinity, -Infinity],
  '(,3)': [-Infinity, 3],
  '(,)': [-Infinity, Infinity],
  '[1,5)': [1, 5],
  '[1,)': [1, Infinity],
  '[2,3)': [2, 3],
}

function compareRanges(a: string, b: string): number {
  if (a === 'empty' || b === 'empty') return Number(b === 'empty') - Number(a === 'empty')
  const [[fromA, toA], [fromB, toB]] = [ranges[a]!, ranges[b]!]
  return compareValues(fromA, fromB) || compareValues(toA, toB)
}

export const int4range: ColumnType<string> = {
  ...ofTexts('int4range', Object.keys(ranges), compareRanges),
  input: (datum, draw) => (datum === '[1,5)' && draw.chance(0.5) ? '[1,4]' : datum),
}

interface Pair {
  readonly [attribute: string]: Json
  readonly size: Num
  readonly word: string
}

/** A composite type. */
export const pair: ColumnType<Pair> = {
  sql: 'pair',
  scalar: 'pair',
  setup: 'create type pair as (size integer, word text collate "C")',
  draw: (draw) => ({ size: new Num(String(draw.integer(0, 2))), word: draw.pick(['', 'a', 'b,"c"', "it's (so)"]) }),
  compare: (a, b) => compareValues(Number(a.size.text), Number(b.size.text)) || compareText(a.word, b.word),
  text: ({ size, word }) => `(${size.text},${quotedItem(word)})`,
  expected: sameJson,
  input: (datum) => pair.text(datum),
}

/** An element of an array or row in PostgreSQL's text format. */
export const quotedItem = (item: string): string => `"${item.replace(/["\\]/g, '\\$&')}"`

/** Arrays of a type, of one dimension. */
function arrayOf<D extends bigint | string>(
  sql: string,
  scalar: string,
  compareItems: (a: D, b: D) => number,
  drawItem: (draw: Draw) => D,
  json: (item: D) => Json,
): ColumnType<readonly (D | null)[]> {
  const type: ColumnType<readonly (D | null)[]> = {
    sql,
    scalar,
    kind: 'array',
    draw: (draw) => draw.times(0, 3, () => (draw.chance(0.15) ? null : drawItem(draw))),
    compare(a, b) {
      for (let i = 0; i < Math.min(a.length, b.length); i++) {
        const [left, right] = [a[i]!, b[i]!]
        const isNull = left === null || right === null
        const result = isNull ? Number(left === null) - Number(right === null) : compareItems(left as D, right as D)
        if (result !== 0) return result
      }
      return Math.sign(a.length - b.length)
    },
    text: (datum) => `{${datum.map((item) => (item === null ? 'NULL' : quotedItem(String(item)))).join(',')}}`,
    expected: (datum) => sameJson(jsonOf(datum)),
    input: (datum, draw) => (draw.chance(0.6) ? type.text(datum) : jsonOf(datum)),
  }
  const jsonOf = (datum: readonly (D | null)[]): Json => datum.map((item) => (item === null ? null : json(item)))
  return type
}

export const intArray = arrayOf<bigint>(
  'integer[]',
  '_int4',
  compareIntegers,
  (draw) => draw.pick([0n, 1n, 2n, -3n]),
  (item) => new Num(String(item)),
)

export const textArray = arrayOf<string>(
  'text[] collate "C"',
  '_text',
  compareText,
  (draw) => draw.pick(['', 'a', 'b', 'NULL', 'two words', '{"x"}', 'back\\slash', 'é']),
  (item) => item,
)
