// Texts that a person types and keeps: they survive navigation, reloads and sessions that expire. Each is stored under its
// own key, so that two windows of the console do not overwrite each other.

import { newId } from './ids.ts'
import { kept } from './kept.ts'
import { createStore, type Store } from './store.ts'

/** A text that is kept. */
export interface Draft {
  readonly id: string
  readonly text: string
  /** More that belongs to it, such as variables. */
  readonly more: Readonly<Record<string, string>>
  readonly createdAt: number
}

/** The drafts of a kind, the oldest first. */
export interface Drafts {
  readonly all: Store<readonly Draft[]>
  /** Adds a draft; answers its id. */
  add(text: string, more?: Readonly<Record<string, string>>): string
  change(id: string, change: Partial<Pick<Draft, 'text' | 'more'>>): void
  remove(id: string): void
}

const prefixOf = (kind: string): string => `draft:${kind}:`

function read(key: string): Draft | null {
  try {
    const draft = JSON.parse(kept.get(key) ?? 'null') as Draft | null
    const isDraft = typeof draft?.id === 'string' && typeof draft.text === 'string' && typeof draft.more === 'object'
    return isDraft ? draft : null
  } catch {
    return null
  }
}

function readAll(prefix: string): readonly Draft[] {
  const drafts = kept.keys(prefix).flatMap((key) => read(key) ?? [])
  return drafts.sort((a, b) => a.createdAt - b.createdAt)
}

const keep = (prefix: string, draft: Draft): void => kept.set(prefix + draft.id, JSON.stringify(draft))

/** The first words of a text, for its tab. */
export const titleOf = (text: string): string => {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? 'Untitled'
  return line.length > 24 ? `${line.slice(0, 24)}…` : line
}

/** The drafts of a kind. */
export function draftsOf(kind: string): Drafts {
  const prefix = prefixOf(kind)
  const all = createStore<readonly Draft[]>(readAll(prefix))
  kept.follow((key) => {
    if (key.startsWith(prefix)) all.set(readAll(prefix))
  })
  return {
    all,
    add(text, more = {}) {
      const draft = { id: newId().slice(0, 8), text, more, createdAt: Date.now() }
      keep(prefix, draft)
      all.set([...all.get(), draft])
      return draft.id
    },
    change(id, change) {
      all.set(all.get().map((draft) => (draft.id === id ? { ...draft, ...change } : draft)))
      const changed = all.get().find((draft) => draft.id === id)
      if (changed) keep(prefix, changed)
    },
    remove(id) {
      kept.set(prefix + id, null)
      all.set(all.get().filter((draft) => draft.id !== id))
    },
  }
}
