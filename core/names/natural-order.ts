// The order in which introspection lists names: that of graphql-js, where digits compare as numbers.

const zero = 48

const isDigit = (code: number): boolean => code >= zero && code <= 57

/** Compares by characters, and runs of digits by their numbers: `a2` comes before `a10`. */
export function compareNaturally(a: string, b: string): number {
  const least = Math.min(a.length, b.length)
  for (let i = 0; i < least; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    // Most names differ in a letter, and no number has to be measured.
    return isDigit(left) || isDigit(right) ? compareNumbers(a, b, i) : left - right
  }
  return a.length - b.length
}

/** Compares texts that differ at a digit first: the number with more digits is larger. */
function compareNumbers(a: string, b: string, at: number): number {
  let start = at
  while (start > 0 && isDigit(a.charCodeAt(start - 1))) start--
  while (start < at && a.charCodeAt(start) === zero) start++
  const areNumbers = isDigit(a.charCodeAt(start)) && isDigit(b.charCodeAt(start))
  const digits = areNumbers ? endOfNumber(a, start) - endOfNumber(b, start) : 0
  return digits === 0 ? a.charCodeAt(at) - b.charCodeAt(at) : digits
}

/** The end of the number at `start`; a leading zero is a number of its own. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1
  if (text.charCodeAt(start) !== zero) while (isDigit(text.charCodeAt(end))) end++
  return end
}
