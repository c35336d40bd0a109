// Date and time types.

import type { Draw } from '../draw.ts'
import { exactly } from '../expected.ts'
import { type ColumnType, compareValues } from './type.ts'

const infinities = ['-infinity', 'infinity']

/** Compares texts in a fixed format, including the infinities. */
function compareTimes(a: string, b: string): number {
  const place = (time: string) => (infinities.includes(time) ? (time === 'infinity' ? 1 : -1) : 0)
  return Math.sign(place(a) - place(b)) || compareValues(a, b)
}

export const date: ColumnType<string> = {
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

/** Without trailing zeros of the fraction. */
const trimmed = (time: string): string => time.replace(/\.?0+$/, '')

/** Values are `YYYY-MM-DDTHH:MM:SS.ffffff`. */
export const timestamp: ColumnType<string> = {
  sql: 'timestamp',
  scalar: 'timestamp',
  comparable: true,
  draw: (draw) =>
    draw.either(
      [8, () => `2020-03-0${draw.integer(1, 3)}T0${draw.integer(0, 2)}:30:00.${drawFraction(draw)}`],
      [1, () => draw.pick(['1900-01-01T00:00:00.000000', ...infinities])],
    ),
  compare: compareTimes,
  text: (datum) => datum,
  expected: (datum) => exactly(infinities.includes(datum) ? datum : trimmed(datum)),
  input: (datum, draw) => (draw.chance(0.5) ? datum : datum.replace('T', ' ')),
}

const drawFraction = (draw: Draw): string => draw.pick(['000000', '500000', '000001'])

/** The same in UTC. */
export const timestamptz: ColumnType<string> = {
  ...timestamp,
  sql: 'timestamptz',
  scalar: 'timestamptz',
  text: (datum) => (infinities.includes(datum) ? datum : `${datum}Z`),
  expected: (datum) => exactly(infinities.includes(datum) ? datum : `${trimmed(datum)}+00:00`),
  input: (datum, draw) => (infinities.includes(datum) ? datum : inZone(datum, draw.integer(-3, 3))),
}

/** The same moment in another time zone. */
function inZone(time: string, hours: number): string {
  const shifted = new Date(Date.parse(`${time.slice(0, 19)}Z`) + hours * 3_600_000).toISOString().slice(0, 19)
  return `${shifted}${time.slice(19)}${hours < 0 ? '-' : '+'}0${Math.abs(hours)}:00`
}

/** Values are `HH:MM:SS.ffffff`. */
export const time: ColumnType<string> = {
  sql: 'time',
  scalar: 'time',
  draw: (draw) => `0${draw.integer(0, 2)}:15:00.${drawFraction(draw)}`,
  compare: compareValues,
  text: (datum) => datum,
  expected: (datum) => exactly(trimmed(datum)),
  input: (datum) => datum,
}

/** Values are `HH:MM:SS±HH`. */
export const timetz: ColumnType<string> = {
  sql: 'timetz',
  scalar: 'timetz',
  comparable: true,
  draw: (draw) => `1${draw.integer(0, 3)}:00:00${draw.pick(['+00', '+01', '+02', '-01'])}`,
  compare: (a, b) => compareValues(secondsOf(a), secondsOf(b)) || compareValues(zoneOf(b), zoneOf(a)),
  text: (datum) => datum,
  expected: exactly,
  input: (datum, draw) => (draw.chance(0.3) ? `${datum}:00` : datum),
}

const zoneOf = (clock: string): number => Number(clock.slice(8))

/** Seconds since midnight in UTC. */
const secondsOf = (clock: string): number => (Number(clock.slice(0, 2)) - zoneOf(clock)) * 3600

/** Hours as PostgreSQL counts them in comparisons; a month has 30 days. */
const intervals: Readonly<Record<string, number>> = {
  '00:00:00': 0,
  '01:30:00': 1.5,
  '24:00:00': 24,
  '1 day': 24,
  '1 day 02:00:00': 26,
  '30 days': 720,
  '1 mon': 720,
  '1 year 2 mons': 10080,
  '-03:00:00': -3,
}

export const interval: ColumnType<string> = {
  sql: 'interval',
  scalar: 'interval',
  draw: (draw) => draw.pick(Object.keys(intervals)),
  compare: (a, b) => compareValues(intervals[a]!, intervals[b]!),
  text: (datum) => datum,
  expected: exactly,
  input: (datum) => datum,
}
