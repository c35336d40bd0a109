// A value that components follow.

import { useSyncExternalStore } from 'react'

/** A value that components follow. */
export interface Store<T> {
  get(): T
  set(next: T): void
  /** Calls the listener after each change; returns the function that ends it. */
  subscribe(listener: () => void): () => void
}

/** Makes a store. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value of a store, in a component. */
export const useStore = <T>(store: Pick<Store<T>, 'get' | 'subscribe'>): T =>
  useSyncExternalStore(store.subscribe, store.get)
