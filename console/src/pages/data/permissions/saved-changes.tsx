import { useState } from 'react'
import { useDebounced } from '../../../base/debounced.ts'
import { Touched } from '../../../parts/touched.tsx'
import type { Operation } from '../../../server/operations.ts'
import { useCanTry } from '../../../server/queries.ts'
import css from './permissions.module.css'

/** Milliseconds that the typing has to rest before the edit is tried. */
const restMillis = 400

interface SavedChangesProps {
  readonly operations: readonly Operation[]
  readonly role: string
}

/** All that saving a permission changes, once the person asks for it. */
export function SavedChanges({ operations, role }: SavedChangesProps) {
  const [isOpen, setOpen] = useState(false)
  const rested = useDebounced(operations, restMillis)
  if (!useCanTry()) return null
  return (
    <details className={css['examples']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Effects of saving</summary>
      {isOpen && <Touched operations={rested} roles={[role]} />}
    </details>
  )
}
