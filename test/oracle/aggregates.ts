// Aggregates over rows, as exact as PostgreSQL's.

import { type Expected, exactly } from './expected.ts'
import { Num } from './json.ts'
import {
  addDecimals,
  compareFractions,
  compareIntegers,
  type Decimal,
  decimalText,
  divide,
  type Fraction,
  fractionNumber,
  integer,
  multiplyDecimals,
} from './numbers.ts'
import { serverVersion } from './server-version.ts'
import { compareDoubles, moneyText } from './types/numbers.ts'
import { columnTypes, compareData, type Datum, exactNumber, type TypeName } from './types.ts'
import type { Column, Row, Stored } from './world.ts'

/** A value to order by; null is NULL. */
export type Key = { readonly value: unknown } | null

/** Compares the values of two keys; NaN when rounding decides. */
export type KeyOrder = (a: unknown, b: unknown) => number

/** The aggregates over numeric columns. */
export const numericOperators = [
  'sum',
  'avg',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'var_pop',
  'var_samp',
  'variance',
] as const

/** Whether an operator of `T_aggregate_fields` works on a column; for money, PostgreSQL has only `sum`. */
export function appliesTo(operator: string, { type }: Column): boolean {
  const { comparable, arithmetic } = columnTypes[type]
  if (operator === 'min' || operator === 'max') return Boolean(comparable)
  return arithmetic !== undefined && (arithmetic !== 'money' || operator === 'sum')
}

/** Whether PostgreSQL considers two values of a type equal. */
export const sameStored = (a: Stored, b: Stored, type: TypeName): boolean =>
  a === null || b === null ? a === b : compareData(type, a.datum, b.datum) === 0

/** The values of a column that are not NULL. */
const dataOf = (rows: readonly Row[], column: Column): readonly Datum[] =>
  rows.flatMap((row) => {
    const stored = row[column.id] ?? null
    return stored === null ? [] : [stored.datum]
  })

/** `count(columns)`, distinct or not. */
export function countValues(rows: readonly Row[], columns: readonly Column[], distinct: boolean): number {
  const [column] = columns
  const counted = columns.length === 1 ? rows.filter((row) => (row[column!.id] ?? null) !== null) : rows
  if (!distinct || columns.length === 0) return counted.length
  const kinds: Row[] = []
  for (const row of counted) {
    const isSame = (other: Row) => columns.every(({ id, type }) => sameStored(row[id] ?? null, other[id] ?? null, type))
    if (!kinds.some(isSame)) kinds.push(row)
  }
  return kinds.length
}

/** The expected result of `operator(column)`. */
export function expectedAggregate(operator: string, column: Column, rows: readonly Row[]): Expected {
  const data = dataOf(rows, column)
  const type = columnTypes[column.type]
  if (operator === 'min' || operator === 'max') {
    const extremes = extremesOf(operator, data, column.type)
    return extremes.length === 0
      ? exactly(null)
      : { kind: 'oneOf', options: extremes.map((datum) => type.expected(datum)) }
  }
  if (type.arithmetic === 'double') {
    const result = ofDoubles(operator, data as readonly number[])
    if (result === null) return exactly(null)
    // The sum of singles is a single; everything else is computed in double precision.
    const isSingle = column.type === 'float4' && operator === 'sum'
    return isSingle ? { kind: 'double', value: Math.fround(result.value), isSingle } : { kind: 'about', ...result }
  }
  const result = ofExact(operator, data)
  if (result === null) return exactly(null)
  if (result === 'NaN') return { kind: 'about', value: Number.NaN, tolerance: 0 }
  if (type.arithmetic === 'money') return exactly(moneyText(result.sum.unscaled))
  if (operator === 'sum') return exactly(new Num(decimalText(result.sum)))
  const value = operator.startsWith('stddev') ? Math.sqrt(fractionNumber(result.ratio)) : fractionNumber(result.ratio)
  return { kind: 'about', value, tolerance: Math.abs(value) * 1e-9 }
}

/** The extreme values; several equal ones may be printed differently. */
function extremesOf(operator: string, data: readonly Datum[], type: TypeName): readonly Datum[] {
  const sign = operator === 'max' ? 1 : -1
  return data.filter((datum) => data.every((other) => sign * compareData(type, datum, other) >= 0))
}

/** The sort key of an aggregate over related rows; without a column it is `count(*)`. */
export function aggregateKey(
  operator: string,
  column: Column | null,
): { readonly order: KeyOrder; key(rows: readonly Row[]): Key } {
  if (column === null) {
    return {
      order: (a, b) => compareIntegers(a as bigint, b as bigint),
      key: (rows) => ({ value: BigInt(rows.length) }),
    }
  }
  const { type } = column
  if (operator === 'min' || operator === 'max') {
    const key = (rows: readonly Row[]): Key => {
      const [extreme] = extremesOf(operator, dataOf(rows, column), type).map((value) => ({ value }))
      return extreme ?? null
    }
    return { order: (a, b) => compareData(type, a as Datum, b as Datum), key }
  }
  if (columnTypes[type].arithmetic === 'double') {
    const key = (rows: readonly Row[]): Key => wrapped(ofDoubles(operator, dataOf(rows, column) as readonly number[]))
    return { order: (a, b) => compareNear(a as Double, b as Double), key }
  }
  const key = (rows: readonly Row[]): Key => {
    const result = ofExact(operator, dataOf(rows, column))
    return wrapped(result === null || result === 'NaN' ? result : result.ratio)
  }
  return { order: (a, b) => compareRatios(a as Fraction | 'NaN', b as Fraction | 'NaN'), key }
}

const wrapped = (value: unknown): Key => (value === null ? null : { value })

function compareRatios(a: Fraction | 'NaN', b: Fraction | 'NaN'): number {
  if (a === 'NaN' || b === 'NaN') return Number(a === 'NaN') - Number(b === 'NaN')
  const result = compareFractions(a, b)
  const [left, right] = [fractionNumber(a), fractionNumber(b)]
  const isNear = Math.abs(left - right) <= 1e-12 * Math.abs(left)
  return result !== 0 && isNear ? Number.NaN : result
}

interface Exact {
  readonly sum: Decimal
  /** The result; its square for standard deviations. */
  readonly ratio: Fraction
}

function ofExact(operator: string, data: readonly Datum[]): Exact | 'NaN' | null {
  const numbers = data.map(exactNumber).filter((number) => number !== null)
  const hasNaN = numbers.length < data.length
  // PostgreSQL 12 treats a single NaN as a sample.
  if (hasNaN && serverVersion() < 13) return 'NaN'
  if (data.length === 0 || (isSample(operator) && data.length < 2)) return null
  if (hasNaN) return 'NaN'
  const count = BigInt(numbers.length)
  const sum = numbers.reduce(addDecimals)
  if (operator === 'sum') return { sum, ratio: divide(sum, 1n) }
  if (operator === 'avg') return { sum, ratio: divide(sum, count) }
  const squares = numbers.map((number) => multiplyDecimals(number, number)).reduce(addDecimals)
  const square = multiplyDecimals(sum, sum)
  const spread = addDecimals(multiplyDecimals(squares, integer(count)), { ...square, unscaled: -square.unscaled })
  return { sum, ratio: divide(spread, count * (isSample(operator) ? count - 1n : count)) }
}

const isSample = (operator: string): boolean => /^(stddev|variance|stddev_samp|var_samp)$/.test(operator)

interface Double {
  readonly value: number
  readonly tolerance: number
}

/** The difference is undetermined if it is not greater than the error of both. */
function compareNear(a: Double, b: Double): number {
  const order = compareDoubles(a.value, b.value)
  const isNear = Math.abs(a.value - b.value) <= a.tolerance + b.tolerance
  return isNear && a.tolerance + b.tolerance > 0 ? Number.NaN : order
}

function ofDoubles(operator: string, data: readonly number[]): Double | null {
  if (data.length === 0 || (isSample(operator) && data.length < 2)) return null
  const count = data.length
  const sum = data.reduce((total, value) => total + value, 0)
  const magnitude = data.reduce((total, value) => total + Math.abs(value), 0)
  if (operator === 'sum' || operator === 'avg') {
    const divisor = operator === 'avg' ? count : 1
    const tolerance = data.every(isDyadic) ? 0 : (magnitude / divisor) * 1e-9
    return { value: sum / divisor, tolerance: Number.isFinite(tolerance) ? tolerance : 0 }
  }
  if (!Number.isFinite(magnitude)) return { value: Number.NaN, tolerance: 0 }
  const mean = sum / count
  const divisor = isSample(operator) ? count - 1 : count
  const variance = data.reduce((total, value) => total + (value - mean) ** 2, 0) / divisor
  const error = (data.reduce((total, value) => total + value * value, 0) / divisor) * 1e-9
  if (!operator.startsWith('stddev')) return { value: variance, tolerance: error }
  return {
    value: Math.sqrt(variance),
    tolerance: Math.sqrt(variance + error) - Math.sqrt(Math.max(0, variance - error)),
  }
}

/** Whether sums of such numbers are exact. */
const isDyadic = (value: number): boolean => Math.abs(value) < 1e12 && Number.isInteger(value * 4)
