import { useState } from 'react'
import { plural } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { CellText } from './cell.tsx'
import css from './rows.module.css'
import { saveRows } from './save.ts'
import { type Row, type Staged, type StagedRow, unstage } from './staged.ts'

interface ReviewProps {
  readonly table: TableName
  readonly staged: Staged
  readonly as: Identity
  /** The types of the table's columns. */
  readonly types: ReadonlyMap<string, string>
  /** The rows that somebody else had changed stay staged. */
  onSaved(conflicts: Staged): void
  onUnstage(staged: Staged): void
  onClose(): void
}

const words = { update: 'change', delete: 'delete', insert: 'insert' } as const

/** The staged edits, before they are sent as one request. */
export function Review({ table, staged, as, types, onSaved, onUnstage, onClose }: ReviewProps) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const entries = Object.entries(staged)
  const save = async () => {
    setBusy(true)
    setError(null)
    try {
      const conflicts = await saveRows({ ...{ table, staged, types, as } })
      const saved = entries.length - Object.keys(conflicts).length
      onSaved(conflicts)
      if (saved > 0) toast(`Saved ${plural(saved, 'row')}`)
      if (Object.keys(conflicts).length === 0) onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const hasConflicts = entries.some(([, { isConflict }]) => isConflict)
  return (
    <Dialog
      isOpen
      isWide
      title={`Review ${plural(entries.length, 'edit')}`}
      description={as.role === null ? 'One request saves them.' : `One request saves them, as ${as.role}.`}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={() => onUnstage({})} disabled={entries.length === 0}>
            Discard all
          </Button>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="main"
            isBusy={isBusy}
            disabled={entries.length === 0 || hasConflicts}
            onClick={() => void save()}
          >
            Save {plural(entries.length, 'row')}
          </Button>
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      {hasConflicts && (
        <p role="alert" className={css['fault']}>
          Somebody else changed the marked rows meanwhile, so that nothing was done to them. The grid shows their values
          beside yours.
        </p>
      )}
      {entries.length === 0 && <p>Nothing is staged.</p>}
      <ul className={css['edits']}>
        {entries.map(([id, row]) => (
          <li key={id} className={css['edit']}>
            <div className={css['editHead']}>
              <Mark state={row.isConflict ? 'bad' : row.kind === 'delete' ? 'bad' : 'waiting'}>
                {row.isConflict ? 'conflict' : words[row.kind]}
              </Mark>
              <span>{keyText(row.key)}</span>
              <span className={css['space']} />
              {row.isConflict && (
                <Button look="quiet" onClick={() => onUnstage({ ...staged, [id]: onTop(row) })}>
                  Save on top
                </Button>
              )}
              <Button look="quiet" onClick={() => onUnstage(unstage(staged, id))}>
                Discard
              </Button>
            </div>
            {Object.entries(row.changes).map(([name, value]) => (
              <p key={name} className={css['change']}>
                <span className={css['type']}>{name}</span>{' '}
                {row.kind === 'update' && (
                  <del>
                    <CellText value={row.old[name] ?? null} />
                  </del>
                )}{' '}
                <ins>
                  <CellText value={value} />
                </ins>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The edit without its condition on the values that were seen. */
const onTop = ({ isConflict: _, ...row }: StagedRow): StagedRow => ({ ...row, old: {} })

const keyText = (key: Row): string =>
  Object.entries(key)
    .map(([name, value]) => `${name} ${value ?? 'NULL'}`)
    .join(', ')
