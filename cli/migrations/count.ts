// Numbers of migrations on the command line.

import { Failure } from '../exits.ts'

/** The number in a word; null if there is no word. */
export function countOf(word: string | undefined): number | null {
  if (word === undefined) return null
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw new Failure('usage', `"${word}" is not a number of migrations`)
}
