// Text types.

import { exactly } from '../expected.ts'
import { compareText, lowerAscii } from '../texts.ts'
import type { ColumnType } from './type.ts'

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

/** Words that are valid in an HTTP header. */
const plainWords = ['a', 'A', 'b', 'ab', 'abc', 'it\'s "so"', '{a,b}', '50%', 'back\\slash']

export const text: ColumnType<string> = {
  sql: 'text collate "C"',
  scalar: 'String',
  comparable: true,
  patterns: 'sensitive',
  draw: (draw) =>
    draw.either(
      [6, () => draw.pick(words)],
      [3, () => draw.pick(plainWords)],
      [2, () => draw.pick(hardWords)],
      [1, () => draw.pick(words) + draw.pick(hardWords) + draw.pick(words)],
    ),
  compare: compareText,
  text: (datum) => datum,
  expected: exactly,
  input: (datum) => datum,
}

export const varchar: ColumnType<string> = { ...text, sql: 'varchar collate "C"' }

/** A domain looks like its base type. */
export const label: ColumnType<string> = {
  ...text,
  sql: 'label',
  setup: 'create domain label as text collate "C"',
}

/** ASCII only: the lower case of other letters depends on the database. */
const latinWords = ['', 'a', 'A', 'b', 'B', 'ab', 'AB', 'abc', 'aBc', 'a%b', 'it\'s "so"', 'x_Y']

export const citext: ColumnType<string> = {
  ...text,
  sql: 'citext collate "C"',
  setup: 'create extension citext',
  scalar: 'citext',
  patterns: 'insensitive',
  draw: (draw) => draw.pick(latinWords),
  compare: (a, b) => compareText(lowerAscii(a), lowerAscii(b)),
}

const length = 3

/**
 * `char(3)`: PostgreSQL pads values with blanks and ignores these in comparisons, so values have no trailing blanks.
 */
export const char: ColumnType<string> = {
  sql: `char(${length}) collate "C"`,
  scalar: 'bpchar',
  draw: (draw) => draw.pick(['', 'a', 'b', 'B', 'ab', 'abc', 'a b', '%']),
  compare: (a, b) => compareText(a.padEnd(length), b.padEnd(length)),
  text: (datum) => datum,
  expected: (datum) => exactly(datum.padEnd(length)),
  input: (datum, draw) => (draw.chance(0.3) ? datum.padEnd(length) : datum),
}
