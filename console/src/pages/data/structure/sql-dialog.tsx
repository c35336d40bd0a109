import { type ReactNode, useState } from 'react'
import type { Draft } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { CancelButton } from '../../../parts/cancel-button.tsx'
import { Code } from '../../../parts/code.tsx'
import { DestroyButton } from '../../../parts/destroy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { Checkbox } from '../../../parts/field.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import type { TableName } from '../../../server/names.ts'
import { type Operation, runAll } from '../../../server/operations.ts'
import { entryOf, metadataQuery, queries, refreshMetadata, rolesOn } from '../../../server/queries.ts'
import { pathOf, useGo } from '../../../shell/navigation.tsx'

interface SqlDialogProps {
  /** Names the change, as `Add column`. */
  readonly title: string
  readonly table: TableName
  readonly isDestructive?: boolean
  /** Whether the dialog has its full height from the beginning. */
  readonly isTall?: boolean
  /** Null: something is missing. */
  readonly sql: string | null
  /** Absent: the SQL is only read. */
  onSqlChange?(sql: string): void
  /** Edits of the metadata that follow it, in the same request. */
  readonly after?: readonly Operation[]
  /** The segments of the address to which it leads; absent: the page stays. */
  readonly goesTo?: readonly string[]
  readonly draft: Draft
  /** The form; absent: the SQL is reviewed at once. */
  readonly children?: ReactNode
  /** Shows what is wrong in the form; absent: nothing can be reviewed while the SQL is null. */
  onFault?(): void
  onClose(): void
}

const operationOf = (sql: string, cascade: boolean): Operation => ({
  type: 'run_sql',
  args: { sql, cascade, check_metadata_consistency: true },
})

/** A form that becomes SQL: it shows the SQL and its effects on the metadata before it runs it. */
export function SqlDialog(props: SqlDialogProps) {
  const { title, table, isDestructive = false, isTall = false, sql, onSqlChange, after = [], goesTo } = props
  const { draft, children, onFault, onClose } = props
  /** The SQL that is reviewed; null: the form is shown. */
  const [reviewed, setReviewed] = useState(children === undefined ? sql : null)
  const isReviewed = reviewed !== null
  const shown = reviewed ?? sql
  const { isBusy, error, setError, attempt } = useAttempt()
  const [hasCascade, setCascade] = useState(false)
  const go = useGo()
  const operations = [operationOf(shown ?? '', hasCascade), ...after]
  const metadata = queries.getQueryData(metadataQuery.queryKey)
  const entry = metadata && entryOf(metadata, table)
  const apply = () =>
    attempt(async () => {
      await runAll(operations)
      const leave = () => goesTo && go(pathOf(...goesTo))
      // The page of a table that is gone would ask for it once more.
      if (isDestructive) leave()
      await refreshMetadata()
      draft.forget()
      toast(`${title}: done`)
      onClose()
      if (!isDestructive) leave()
    })
  return (
    <Dialog
      isOpen
      isWide
      isTall={isTall}
      title={title}
      description={
        isReviewed
          ? 'PostgreSQL runs this. Its effects on the metadata are below.'
          : 'It becomes SQL, which you see before it runs.'
      }
      onClose={onClose}
      actions={
        <>
          {isReviewed && children !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                setReviewed(null)
                setError(null)
              }}
            >
              Back
            </Button>
          )}
          <CancelButton draft={draft} onClose={onClose} />
          {isReviewed && isDestructive && (
            <DestroyButton name={table.name} isBusy={isBusy} onClick={() => void apply()}>
              Run this SQL
            </DestroyButton>
          )}
          {isReviewed && !isDestructive && (
            <Button look="main" isBusy={isBusy} onClick={() => void apply()}>
              Run this SQL
            </Button>
          )}
          {!isReviewed && (
            <Button
              look="main"
              disabled={sql === null && !onFault}
              onClick={() => (sql === null ? onFault?.() : setReviewed(sql))}
            >
              Review
            </Button>
          )}
        </>
      }
    >
      {!isReviewed && <DraftNote draft={draft} />}
      {!isReviewed && children}
      {shown !== null && (
        <Code label="SQL" language="sql" value={shown} {...(!isReviewed && onSqlChange && { onChange: onSqlChange })} />
      )}
      {isReviewed && isDestructive && (
        <Checkbox
          label="Remove the objects of the metadata that need it, too"
          checked={hasCascade}
          onChange={(event) => {
            setCascade(event.target.checked)
            setError(null)
          }}
        />
      )}
      {isReviewed && error === null && <Touched operations={operations} roles={entry ? rolesOn(entry) : []} />}
      {error !== null && <Failed error={error} />}
    </Dialog>
  )
}
