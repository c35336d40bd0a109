// Exact arithmetic: decimals like PostgreSQL's numeric, and fractions of them for averages.

/** `unscaled / 10^scale`. */
export interface Decimal {
  readonly unscaled: bigint
  readonly scale: number
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)

/** Reads digits with an optional point; no exponent. */
export function decimal(text: string): Decimal {
  const [whole = '0', fraction = ''] = text.split('.')
  return { unscaled: BigInt(whole + fraction), scale: fraction.length }
}

export const integer = (unscaled: bigint): Decimal => ({ unscaled, scale: 0 })

/** The text with all digits of the scale, as numeric prints it. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const rescaled = ({ unscaled, scale }: Decimal, to: number): bigint => unscaled * powerOfTen(to - scale)

export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  return compareIntegers(rescaled(a, scale), rescaled(b, scale))
}

export const compareIntegers = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { unscaled: rescaled(a, scale) + rescaled(b, scale), scale }
}

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({
  unscaled: a.unscaled * b.unscaled,
  scale: a.scale + b.scale,
})

/** `over / under`, `under` positive. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

/** A decimal divided by a positive integer. */
export const divide = ({ unscaled, scale }: Decimal, by: bigint): Fraction => ({
  over: unscaled,
  under: by * powerOfTen(scale),
})

export const compareFractions = (a: Fraction, b: Fraction): number =>
  compareIntegers(a.over * b.under, b.over * a.under)

/** The nearest double, almost. */
export function fractionNumber({ over, under }: Fraction): number {
  const digits = 30 + String(under).length
  return Number(`${(over * powerOfTen(digits)) / under}e-${digits}`)
}
