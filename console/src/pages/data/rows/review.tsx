import { useEffect } from 'react'
import { plural } from '../../../base/format.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { DestroyButton } from '../../../parts/destroy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import { asFailure } from '../../../requests/failure.ts'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { CellText } from './cell.tsx'
import type { GridRow } from './model.ts'
import css from './rows.module.css'
import { inverseOf, saveRows } from './save.ts'
import { type Row, type Staged, type StagedRow, stagedOf, unstage } from './staged.ts'

interface ReviewProps {
  readonly table: TableName
  readonly staged: Staged
  readonly as: Identity
  /** The rows of the grid: of conflicts, `old` has the values of the other person. */
  readonly rows: readonly GridRow[]
  /** The types of the table's columns. */
  readonly types: ReadonlyMap<string, string>
  /** `left`: the edits that stay staged, such as those of rows that another person had changed. */
  onSaved(left: Staged): void
  onUnstage(staged: Staged): void
  onClose(): void
}

const words = { update: 'change', delete: 'delete', insert: 'insert' } as const

/** The staged edits, before they are sent as one request. */
export function Review({ table, staged, rows, as, types, onSaved, onUnstage, onClose }: ReviewProps) {
  const { isBusy, error, attempt } = useAttempt()
  const entries = Object.entries(staged)
  const save = () =>
    attempt(async () => {
      const conflicts = await saveRows({ ...{ table, staged, types, as } })
      const saved = Object.fromEntries(entries.filter(([id]) => !(id in conflicts)))
      const count = Object.keys(saved).length
      const inverse = inverseOf(saved)
      onSaved(conflicts)
      if (count > 0) toast(`Saved ${plural(count, 'row')}`, inverse ? { undo: () => void undo(inverse) } : {})
      if (Object.keys(conflicts).length === 0) onClose()
    })
  const undo = async (inverse: Staged) => {
    try {
      const conflicts = await saveRows({ table, staged: inverse, types, as })
      onSaved({ ...stagedOf(table).get(), ...conflicts })
    } catch (failure) {
      toast(`Nothing was taken back: ${asFailure(failure).facts.message}`)
    }
  }
  const theirsOf = (id: string) => rows.find((row) => row.id === id && row.state === 'conflict')?.old
  const equal = entries.filter(([id, row]) => row.isConflict && isThere(row, theirsOf(id))).map(([id]) => id)
  // A save whose answer was lost looks like an edit of another person.
  useEffect(() => {
    if (equal.length === 0) return
    onUnstage(equal.reduce<Staged>(unstage, staged))
    toast(`${plural(equal.length, 'row')} had these values already`)
    if (equal.length === entries.length) onClose()
  })
  const Save = entries.some(([, { kind }]) => kind === 'delete') ? DestroyButton : Button
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
          <Save
            look="main"
            name={table.name}
            isBusy={isBusy}
            disabled={entries.length === 0 || hasConflicts}
            onClick={() => void save()}
          >
            Save {plural(entries.length, 'row')}
          </Save>
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      {hasConflicts && (
        <p role="alert" className={css['fault']}>
          Somebody else changed the marked rows meanwhile, so that nothing was done to them.
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
                <Button look="quiet" onClick={() => onUnstage({ ...staged, [id]: onTop(row, theirsOf(id)) })}>
                  Save on top
                </Button>
              )}
              <Button look="quiet" onClick={() => onUnstage(unstage(staged, id))}>
                Discard
              </Button>
            </div>
            {Object.entries(row.changes).map(([name, value]) => {
              const theirs = memberOf(theirsOf(id) ?? {}, name)
              return (
                <p key={name} className={css['change']}>
                  <span className={css['type']}>{name}</span>{' '}
                  {row.kind === 'update' && (
                    <del>
                      <CellText value={memberOf(row.old, name) ?? null} />
                    </del>
                  )}{' '}
                  {row.isConflict && theirs !== undefined && (
                    <>
                      theirs <CellText value={theirs} />, yours{' '}
                    </>
                  )}
                  <ins>
                    <CellText value={value} />
                  </ins>
                </p>
              )
            })}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Whether a row has the values of an edit. */
const isThere = ({ kind, changes }: StagedRow, values: Row | undefined): boolean =>
  kind === 'update' &&
  values !== undefined &&
  Object.entries(changes).every(([name, value]) => memberOf(values, name) === value)

/** The edit, conditioned on the values that the other person wrote; without a condition where they are not shown. */
function onTop({ isConflict: _, ...row }: StagedRow, theirs: Row = {}): StagedRow {
  const seen = Object.keys(row.old).filter((name) => Object.hasOwn(theirs, name))
  return { ...row, old: Object.fromEntries(seen.map((name) => [name, theirs[name]!])) }
}

const keyText = (key: Row): string =>
  Object.entries(key)
    .map(([name, value]) => `${name} ${value ?? 'NULL'}`)
    .join(', ')
