// Guesses the name that was meant by an unknown one. Candidates must be names that the caller may see.

import type { ErrorHelp } from './errors.ts'
import { longestGuessed, mostCandidates, mostComparisons, mostSuggested } from './tuning.ts'

/**
 * The candidates that a typo may have turned into `name`, the nearest first. One letter in four may differ, and in
 * names of one or two letters none; case is ignored. A looser limit would suggest `delete_book` for `insert_book`.
 */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  if (name.length > longestGuessed) return []
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

/** The rows of the edit distance table, reused between calls. */
let [beforeLast, last, row] = [0, 1, 2].map(() => new Uint8Array(longestGuessed * 3)) as [Row, Row, Row]

type Row = Uint8Array

/**
 * The edit distance of two texts: inserted, removed, replaced and swapped letters. If it exceeds `most`, the result is
 * any larger number.
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

/** The hint that suggests a name. */
export const suggestion = (name: string): ErrorHelp => ({ hint: `did you mean "${name}"?` })

/** The help of an error about an unknown name; `candidates` is called when the error is encoded. */
export const didYouMean = (name: string, candidates: () => Iterable<string>) => (): ErrorHelp => {
  const [nearest] = nearestNames(name, candidates())
  return nearest === undefined ? {} : suggestion(nearest)
}

/**
 * The help of an error about one of many short names: the nearest ones, or else names that contain all of its words, as
 * `create_select_permission` contains those of `create_permission`.
 */
export const didYouMeanOneOf = (name: string, candidates: () => Iterable<string>) => (): ErrorHelp => {
  const all = [...candidates()]
  const near = nearestNames(name, all)
  const names = near.length > 0 ? near : withWordsOf(name, all)
  const quoted = names.slice(0, mostSuggested).map((each) => `"${each}"`)
  const last = quoted.pop()
  if (last === undefined) return {}
  return { hint: `did you mean ${quoted.length > 0 ? `${quoted.join(', ')} or ` : ''}${last}?` }
}

function withWordsOf(name: string, candidates: readonly string[]): string[] {
  if (name.length > longestGuessed) return []
  const words = name.toLowerCase().split('_')
  if (words.some((word) => word.length < 3)) return []
  return candidates.filter((each) => words.every((word) => each.split('_').includes(word)))
}
