// Texts that a person types and keeps: they survive navigation, reloads and sessions that expire. Each is stored under its
// own key, so that two windows of the console do not overwrite each other.

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

const prefixOf = (kind: string): string => `trellis:console:draft:${kind}:`

function read(key: string): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null
    const isDraft = typeof kept?.id === 'string' && typeof kept.text === 'string' && typeof kept.more === 'object'
    return isDraft ? kept : null
  } catch {
    return null
  }
}

function readAll(prefix: string): readonly Draft[] {
  const drafts = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => read(key) ?? [])
  return drafts.sort((a, b) => a.createdAt - b.createdAt)
}

function keep(prefix: string, draft: Draft): void {
  try {
    localStorage.setItem(prefix + draft.id, JSON.stringify(draft))
  } catch {
    // It holds until the page is left.
  }
}

/** The drafts of a kind. */
export function draftsOf(kind: string): Drafts {
  const prefix = prefixOf(kind)
  const all = createStore<readonly Draft[]>(readAll(prefix))
  window.addEventListener('storage', ({ key }) => {
    if (key?.startsWith(prefix)) all.set(readAll(prefix))
  })
  return {
    all,
    add(text, more = {}) {
      const draft = { id: crypto.randomUUID().slice(0, 8), text, more, createdAt: Date.now() }
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
      localStorage.removeItem(prefix + id)
      all.set(all.get().filter((draft) => draft.id !== id))
    },
  }
}
