// Exact JSON numbers, with more digits than a double if the sender wrote more.

/** `±0.digits × 10^exponent`; zero has no digits. */
export interface Decimal {
  readonly negative: boolean
  /** Without leading and trailing zeros. */
  readonly digits: string
  readonly exponent: number
}

const numberSyntax = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Parses a JSON number; null if the text is not a number. */
export function parseDecimal(text: string): Decimal | null {
  const match = numberSyntax.exec(text)
  if (!match) return null
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const all = `${whole}${fraction}`
  const start = significantStart(all)
  if (start === all.length) return { negative: false, digits: '', exponent: 0 }
  const digits = all.slice(start, significantEnd(all))
  return { negative: sign === '-', digits, exponent: whole.length - start + Number(power) }
}

const zero = 48

function significantStart(digits: string): number {
  let start = 0
  while (digits.charCodeAt(start) === zero) start++
  return start
}

/** A loop, because a regular expression would scan a run of zeros again from each of its positions. */
function significantEnd(digits: string): number {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === zero) end--
  return end
}

/** Whether two JSON numbers have the same value; the sign of a zero does not count. */
export function sameDecimal(one: Decimal, other: Decimal): boolean {
  return one.negative === other.negative && one.exponent === other.exponent && one.digits === other.digits
}

/** More digits than any integer type has; longer integers are not written out. */
const longestInteger = 40

/** The integer value of a number; null if it has a fraction or exceeds every integer type. */
export function decimalToInteger({ negative, digits, exponent }: Decimal): bigint | null {
  if (digits === '') return 0n
  if (digits.length > exponent || exponent > longestInteger) return null
  const magnitude = BigInt(digits.padEnd(exponent, '0'))
  return negative ? -magnitude : magnitude
}

/** The number without exponent, with at most `places` digits after the point; further digits are dropped. */
export function plainDecimal({ negative, digits, exponent }: Decimal, places: number): string {
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0'
  const zeros = '0'.repeat(Math.min(Math.max(-exponent, 0), places))
  const fraction = `${zeros}${digits.slice(Math.max(exponent, 0))}`.slice(0, places)
  return `${negative ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

/** A number in the format of messages: `1.5`, `2.147483648e9`. */
export function decimalText({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0.0'
  const sign = negative ? '-' : ''
  if (exponent >= 0 && exponent <= 7) {
    const whole = digits.slice(0, exponent).padEnd(exponent, '0') || '0'
    return `${sign}${whole}.${digits.slice(exponent) || '0'}`
  }
  return `${sign}${digits[0]}.${digits.slice(1) || '0'}e${exponent - 1}`
}
