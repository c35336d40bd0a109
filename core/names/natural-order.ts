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
    return isDigit(left) || isDigit(right) ? compareWithNumbers(a, b) : left - right
  }
  return a.length - b.length
}

function compareWithNumbers(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(j)]
    if (isDigit(left) && isDigit(right)) {
      const [afterLeft, afterRight] = [endOfNumber(a, i), endOfNumber(b, j)]
      const [first, second] = [numberIn(a, i, afterLeft), numberIn(b, j, afterRight)]
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
