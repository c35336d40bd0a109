// The texts that ran, newest first.

import { preference } from '../../base/preferences.ts'

/** A text that ran. */
export interface Remembered {
  readonly text: string
  readonly at: number
  readonly state: 'good' | 'bad'
}

/** Texts that are kept. */
const keptTexts = 100
/** Characters of a text that are kept: a script with data would fill the browser's storage. */
const keptCharacters = 20_000

const isHistory = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each?.text === 'string' && typeof each.at === 'number')

/** The texts that ran in this browser. */
export const history = preference<readonly Remembered[]>('sql-history', [], isHistory)

/** Adds a text; the same text is kept once. */
export function remember(text: string, state: Remembered['state']): void {
  if (text.length > keptCharacters) return
  const others = history.get().filter((each) => each.text !== text)
  history.set([{ text, at: Date.now(), state }, ...others].slice(0, keptTexts))
}
