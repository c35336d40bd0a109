// Numeric types.

import type { Draw } from '../draw.ts'
import { exactly } from '../expected.ts'
import { type Json, Num } from '../json.ts'
import { addDecimals, compareDecimals, compareIntegers, type Decimal, decimal, decimalText } from '../numbers.ts'
import type { ColumnType } from './type.ts'

const smallIntegers: readonly bigint[] = [0n, 1n, 2n, 3n, 4n, 5n, -1n, -7n]

/** An integer type with this number of bits. */
function integerType(sql: string, scalar: string, bits: number, great: readonly bigint[]): ColumnType<bigint> {
  return {
    sql,
    scalar,
    arithmetic: 'exact',
    comparable: true,
    draw: (draw) => draw.either([6, () => draw.pick(smallIntegers)], [1, () => draw.pick(great)]),
    compare: compareIntegers,
    text: String,
    expected: (datum) => exactly(new Num(String(datum))),
    input: (datum) => new Num(String(datum)),
    add: (a, b) => (BigInt.asIntN(bits, a + b) === a + b ? { datum: a + b } : `${sql} out of range`),
  }
}

/** Numbers that may also be given as strings. */
const orText = (number: string, draw: Draw): Json => (draw.chance(0.5) ? new Num(number) : number)

export const smallint: ColumnType<bigint> = {
  ...integerType('smallint', 'smallint', 16, [32767n, -32768n, 42n]),
  input: (datum, draw) => orText(String(datum), draw),
}

export const int = integerType('integer', 'Int', 32, [2147483647n, -2147483648n, 42n])

export const bigint: ColumnType<bigint> = {
  ...integerType('bigint', 'bigint', 64, [9007199254740993n, 9223372036854775807n, -9223372036854775808n]),
  input: (datum, draw) => orText(String(datum), draw),
}

/** NaN of numeric. */
export const notANumber = 'NaN'

const decimals = ['0', '1', '1.0', '1.5', '1.50', '-2.25', '0.001', '100', '2', '12345678901234567890.123456789']

export const numeric: ColumnType<Decimal | typeof notANumber> = {
  sql: 'numeric',
  scalar: 'numeric',
  arithmetic: 'exact',
  comparable: true,
  draw: (draw) => (draw.chance(0.95) ? decimal(draw.pick(decimals)) : notANumber),
  compare(a, b) {
    if (a === notANumber || b === notANumber) return Number(a === notANumber) - Number(b === notANumber)
    return compareDecimals(a, b)
  },
  text: (datum) => (datum === notANumber ? notANumber : decimalText(datum)),
  expected: (datum) => exactly(datum === notANumber ? notANumber : new Num(decimalText(datum))),
  input: (datum, draw) => numberInput(numeric.text(datum), draw),
  add: (a, b) => ({ datum: a === notANumber || b === notANumber ? notANumber : addDecimals(a, b) }),
}

const numberInput = (text: string, draw: Draw): Json => (/\d/.test(text) && draw.chance(0.6) ? new Num(text) : text)

/** NaN equals itself and is greater than all other values. */
export function compareDoubles(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : a > b ? 1 : 0
}

const overflow = 'value out of range: overflow'

const doubles = [0, 1, -1, 0.5, 2.5, -1.25, 3, 1e10, 123456.789, 0.1]

export const float8: ColumnType<number> = {
  sql: 'double precision',
  scalar: 'float8',
  arithmetic: 'double',
  comparable: true,
  draw: (draw) =>
    draw.either([20, () => draw.pick(doubles)], [1, () => draw.pick([Number.NaN, Infinity, -Infinity, 1e100, 1e-7])]),
  compare: compareDoubles,
  text: String,
  expected: (value) => ({ kind: 'double', value }),
  input: (datum, draw) => numberInput(String(datum), draw),
  add(a, b) {
    const datum = a + b
    return Number.isFinite(a) && Number.isFinite(b) && !Number.isFinite(datum) ? overflow : { datum }
  },
}

/** All exact in single precision, and so are their sums. */
const singles = [0, 1, -1, 0.5, 2.5, -1.25, 3, 1024.125, 65536]

export const float4: ColumnType<number> = {
  ...float8,
  sql: 'real',
  scalar: 'Float',
  draw: (draw) => draw.pick(singles),
  expected: (value) => ({ kind: 'double', value, isSingle: true }),
  input: (datum) => new Num(String(datum)),
  add: (a, b) => ({ datum: Math.fround(a + b) }),
}

const amounts = [0n, 100n, 150n, -225n, 1n, 123450n, -123456789n]

/** Values are in cents. */
export const money: ColumnType<bigint> = {
  ...integerType('money', 'money', 64, []),
  arithmetic: 'money',
  draw: (draw) => draw.pick(amounts),
  text: (cents) => decimalText({ unscaled: cents, scale: 2 }),
  expected: (cents) => exactly(moneyText(cents)),
  input: (cents, draw) =>
    draw.either<Json>([2, () => numberInput(money.text(cents), draw)], [1, () => moneyText(cents)]),
}

/** As printed in the locale C. */
export function moneyText(cents: bigint): string {
  const [whole = '', fraction = ''] = money.text(cents < 0n ? -cents : cents).split('.')
  return `${cents < 0n ? '-' : ''}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}
