// The name that was probably meant where a wrong one stands. Candidates are what the caller may see, never more.

import type { ErrorHelp } from './errors.ts'

/** Names longer than this are compared with nothing. */
const longestName = 100

/** How many candidates are looked at, and pairs of characters compared: a few milliseconds at most. */
const mostCandidates = 20_000
const mostComparisons = 500_000

/**
 * The candidates that a slip of the hand makes of a name, the nearest first: one letter in four may differ, none in names
 * of one or two, and capitals count for nothing. More would take `delete_book` for `insert_book`.
 */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  if (name.length > longestName) return []
  const most = Math.floor((name.length + 1) / 4)
  const wrong = name.toLowerCase()
  const near: { readonly candidate: string; readonly distance: number }[] = []
  let left = mostCandidates
  let comparisons = mostComparisons
  for (const candidate of candidates) {
    if (left-- === 0 || comparisons <= 0) break
    if (candidate === name || Math.abs(candidate.length - name.length) > most) continue
    comparisons -= candidate.length * name.length
    const distance = editDistance(wrong, candidate.toLowerCase(), most)
    if (distance <= most) near.push({ candidate, distance })
  }
  return near.sort((a, b) => a.distance - b.distance).map(({ candidate }) => candidate)
}

/** The rows of the table that distances are worked out in. */
let [beforeLast, last, row] = [0, 1, 2].map(() => new Uint8Array(longestName * 3)) as [Row, Row, Row]

type Row = Uint8Array

/**
 * How many letters have to be put in, taken out, replaced, or swapped with the next one, to make one text of the other;
 * when that is more than `most`, some number that is more.
 */
function editDistance(a: string, b: string, most: number): number {
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1)
    let least = i
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (letter === other ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other
      if (isSwapped) best = Math.min(best, beforeLast[j - 2]! + 1)
      row[j] = best
      least = Math.min(least, best)
    }
    if (least > most + 1) return least
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last[b.length]!
}

/** The help that names what was probably meant. */
export const suggestion = (name: string): ErrorHelp => ({ hint: `did you mean "${name}"?` })

/** The help of an error about an unknown name; `candidates` are asked for when it is answered. */
export const didYouMean = (name: string, candidates: () => Iterable<string>) => (): ErrorHelp => {
  const [nearest] = nearestNames(name, candidates())
  return nearest === undefined ? {} : suggestion(nearest)
}
