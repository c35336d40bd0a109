// Choices that a browser keeps: nothing secret, and nothing of the data.

import { createStore, type Store } from './store.ts'

const prefix = 'trellis:console:'

function read<T>(key: string, initial: T): T {
  try {
    const kept = localStorage.getItem(prefix + key)
    return kept === null ? initial : (JSON.parse(kept) as T)
  } catch {
    // The browser keeps nothing, or somebody else wrote it.
    return initial
  }
}

/** A choice that survives the page. `isValid` refuses kept values of another shape. */
export function preference<T>(key: string, initial: T, isValid: (value: unknown) => boolean): Store<T> {
  const kept = read<T>(key, initial)
  const store = createStore(isValid(kept) ? kept : initial)
  store.subscribe(() => {
    try {
      localStorage.setItem(prefix + key, JSON.stringify(store.get()))
    } catch {
      // It holds until the page is left.
    }
  })
  return store
}
