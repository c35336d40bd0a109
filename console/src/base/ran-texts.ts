// Texts that ran in this browser, newest first.

import { preference } from './preferences.ts'
import type { Store } from './store.ts'

/** A text that ran. */
export interface RanText {
  readonly text: string
  /** Another text that belongs to it, such as variables. */
  readonly more?: string
  readonly at: number
  readonly state: 'good' | 'bad'
}

/** The texts of one kind. */
export interface RanTexts {
  readonly all: Store<readonly RanText[]>
  /** Adds a text; the same text is kept once. */
  remember(text: string, state: RanText['state'], more?: string): void
  forgetAll(): void
}

/** Texts that are kept. */
const keptTexts = 100
/** Characters of a text that are kept: a script with data would fill the browser's storage. */
const keptCharacters = 20_000

const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each?.text === 'string' && typeof each.at === 'number')

/** The texts that are kept under a name. */
export function ranTexts(name: string): RanTexts {
  const all = preference<readonly RanText[]>(name, [], areTexts)
  return {
    all,
    remember(text, state, more) {
      if (text.length + (more?.length ?? 0) > keptCharacters) return
      const others = all.get().filter((each) => each.text !== text)
      all.set([{ text, at: Date.now(), state, ...(more !== undefined && { more }) }, ...others].slice(0, keptTexts))
    },
    forgetAll: () => all.set([]),
  }
}
