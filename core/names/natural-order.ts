// The order in which introspection lists names: that of graphql-js, where digits compare as numbers.

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Compares by characters, and runs of digits by their numbers: `a2` comes before `a10`. */
export function compareNaturally(a: string, b: string): number {
  const least = Math.min(a.length, b.length)
  for (let i = 0; i < least; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    // Most names differ in a letter, and no number has to be read.
    return isDigit(left) || isDigit(right) ? compareWithNumbers(a, b, startOfDigits(a, i)) : left - right
  }
  return a.length - b.length
}

/** The start of the digits that end at `end`. */
function startOfDigits(text: string, end: number): number {
  let start = end
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
  return start
}

/** Compares from `start`, before which the texts are equal and no number goes on. */
function compareWithNumbers(a: string, b: string, start: number): number {
  let i = start
  let j = start
  while (i < a.length && j < b.length) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(j)
    if (isDigit(left) && isDigit(right)) {
      const afterLeft = endOfNumber(a, i)
      const afterRight = endOfNumber(b, j)
      const first = numberIn(a, i, afterLeft)
      const second = numberIn(b, j, afterRight)
      if (first !== second) return first < second ? -1 : 1
      i = afterLeft
      j = afterRight
    } else {
      if (left !== right) return left - right
      i++
      j++
    }
  }
  return a.length - b.length
}

/** The end of the number at `start`; a leading zero is a number of its own. */
function endOfNumber(text: string, start: number): number {
  if (text.charCodeAt(start) === 48) return start + 1
  let end = start + 1
  while (isDigit(text.charCodeAt(end))) end++
  return end
}

function numberIn(text: string, start: number, end: number): number {
  let number = 0
  for (let i = start; i < end; i++) number = number * 10 + text.charCodeAt(i) - 48
  return number
}

/**
 * A text whose order by characters is the natural order of a GraphQL name: each number stands behind its length. Numbers
 * of more than 15 digits differ, too, where `compareNaturally` rounds them.
 */
export function naturalKey(name: string): string {
  let key = ''
  let copied = 0
  for (let i = 0; i < name.length; ) {
    if (!isDigit(name.charCodeAt(i))) {
      i++
      continue
    }
    const end = endOfNumber(name, i)
    // A zero comes before all other numbers.
    const length = name.charCodeAt(i) === 48 ? 0 : end - i
    const shown = length < 9 ? String.fromCharCode(48 + length) : `9${String.fromCharCode(length)}`
    key += name.slice(copied, i) + shown
    copied = i
    i = end
  }
  return key === '' ? name : key + name.slice(copied)
}
