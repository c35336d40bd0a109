// The staged edits of a table, each of which can be taken back.

import { useEffect, useRef, useState } from 'react'
import { useStore } from '../../../base/store.ts'
import type { TableName } from '../../../server/names.ts'
import { type Staged, stagedOf } from './staged.ts'

/** Edits that can be taken back. */
const keptSteps = 100

/** The staged edits of a table. */
export function useStaging(table: TableName) {
  const store = stagedOf(table)
  const staged = useStore(store)
  const [past, setPast] = useState<readonly Staged[]>([])
  return {
    staged,
    count: Object.keys(staged).length,
    hasPast: past.length > 0,
    /** The edits at this moment, which may be newer than those that are shown. */
    now: () => store.get(),
    stage(next: Staged) {
      setPast([...past, store.get()].slice(-keptSteps))
      store.set(next)
    },
    undo() {
      const before = past.at(-1)
      if (!before) return
      store.set(before)
      setPast(past.slice(0, -1))
    },
    /** Begins anew with these edits. */
    restart(next: Staged) {
      store.set(next)
      setPast([])
    },
  }
}

/** Ctrl+S reviews the staged edits; the browser never saves the page. */
export function useSaveKey(hasEdits: boolean, onSave: () => void): void {
  const latest = useRef(onSave)
  latest.current = onSave
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (hasEdits) latest.current()
    }
    window.addEventListener('keydown', follow)
    return () => window.removeEventListener('keydown', follow)
  }, [hasEdits])
}
