import { useSyncExternalStore } from 'react'

const query = window.matchMedia('(max-width: 560px)')

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the page is too narrow for a grid. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
