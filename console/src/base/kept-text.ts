// The text of a form, which is kept until the form is saved or given up.

import { useState } from 'react'
import { kept } from './kept.ts'

/** Characters beyond which a text is in memory alone: all kept texts are read before the page starts. */
const keptCharacters = 100_000

interface Kept {
  /** The text that the form began with. */
  readonly of: string
  readonly text: string
}

function read(key: string): Kept | null {
  const [of, text] = JSON.parse(kept.get(key) ?? '[]') as readonly unknown[]
  return typeof of === 'string' && typeof text === 'string' ? { of, text } : null
}

/**
 * A text that begins as `beginning`, and survives navigation, reloads and sessions that expire. `earlier` tells whether it
 * was typed before, and whether the form began with another text then.
 */
export function useKeptText(name: string, beginning: string) {
  const [initial] = useState(beginning)
  const key = `form:${name}`
  const [before] = useState(() => read(key))
  const [text, setText] = useState(before?.text ?? initial)
  const keep = (next: string): void =>
    kept.set(key, next === initial || next.length > keptCharacters ? null : JSON.stringify([initial, next]))
  return {
    text,
    earlier: before === null || before.text !== text ? null : before.of === initial ? 'same' : 'stale',
    change(next: string) {
      setText(next)
      keep(next)
    },
    /** The text is saved, or given up. */
    forget: () => kept.set(key, null),
  } as const
}
