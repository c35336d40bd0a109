// Scans the bytes of a JSON text once before it is parsed, for its nesting depth and for numbers that a double cannot
// hold.

/** The result of a scan. The scan never fails, but its result means nothing if the text is not JSON. */
export interface JsonScan {
  /** The depth of nested lists and objects. */
  readonly depth: number
  /** Whether converting a number to a double may change its value. */
  readonly mayRound: boolean
  /** Whether a number may be spelled differently when it is printed again. */
  readonly mayRespell: boolean
}

/** Bytes with a meaning. The codes of closing brackets are those of the opening ones plus two. */
export const code = {
  space: 32,
  quote: 34,
  comma: 44,
  minus: 45,
  dot: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  bracket: 91,
  backslash: 92,
  brace: 123,
} as const

/** The lower-case `e`; both cases are compared with it. */
const exponent = 101
const lowerCase = 0x20

/** Square and curly brackets differ in this bit. */
const curly = 0x20
const opening = 0x5b
const closing = 0x5d

/** A double keeps this many significant digits when it is parsed and printed. */
const safeDigits = 15

/** JavaScript prints numbers with this many zeros after the point with an exponent. */
const smallZeros = 6

/**
 * Matches every number that needs a closer look, and also such text in quotes. These are numbers with many digits, with
 * an exponent, with a zero at the end of the fraction or many at its start, and possible negative zeros.
 */
const notable = /[\d.]{16}|\d[eE]|-0|\.(?:\d*0(?!\d)|0{6})/

/** Whether a quick look shows that doubles keep all numbers of a JSON text as they are written. */
export const hasPlainNumbers = (text: string): boolean => !notable.test(text)

/** Scans JSON in UTF-8. */
export function scanJson(bytes: Uint8Array): JsonScan {
  const end = bytes.length
  const found = { depth: 0, mayRound: false, mayRespell: false }
  let open = 0
  let i = 0
  while (i < end) {
    const byte = bytes[i++]!
    if (byte === code.quote) i = endOfString(bytes, i)
    else if (byte > code.nine) {
      const bracket = byte & ~curly
      if (bracket === opening) {
        if (++open > found.depth) found.depth = open
      } else if (bracket === closing) open--
    } else if (byte >= code.zero || byte === code.minus) i = readNumber(bytes, i, found)
  }
  return found
}

/** The index after the closing quote of the string whose opening quote is just before `at`. */
export function endOfString(bytes: Uint8Array, at: number): number {
  const end = bytes.length
  let i = at
  while (i < end) {
    const byte = bytes[i++]!
    if (byte === code.quote) break
    if (byte === code.backslash) i++
  }
  return i
}

/** Scans a number whose first character is just before `at`; returns the index after it. */
export function readNumber(bytes: Uint8Array, at: number, found: { mayRound: boolean; mayRespell: boolean }): number {
  const start = at - 1
  const first = bytes[start]!
  let i = at
  let dot = -1
  let last = first
  let next = bytes[i]!
  while ((next >= code.zero && next <= code.nine) || next === code.dot) {
    if (next === code.dot) dot = i
    last = next
    next = bytes[++i]!
  }
  const digits = i - start - (dot < 0 ? 0 : 1) - (first === code.minus ? 1 : 0)
  const hasExponent = (next | lowerCase) === exponent
  if (digits > safeDigits || hasExponent) found.mayRound = found.mayRespell = true
  if (dot >= 0 && (last === code.zero || startsWithZeros(bytes, dot + 1))) found.mayRespell = true
  if (first === code.minus && i === start + 2 && last === code.zero) found.mayRespell = true
  return hasExponent ? i + 1 : i
}

function startsWithZeros(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < smallZeros; i++) if (bytes[at + i] !== code.zero) return false
  return true
}
