import { useState } from 'react'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { CancelButton } from '../../../parts/cancel-button.tsx'
import { Code } from '../../../parts/code.tsx'
import { DestroyButton } from '../../../parts/destroy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import { tableKey } from '../../../server/names.ts'
import { runAll } from '../../../server/operations.ts'
import { entryOf, metadataQuery, queries, refreshMetadata, rolesOn } from '../../../server/queries.ts'
import { pathOf, useGo } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import type { Change, ChangeField, ChangeValues } from './changes.ts'
import css from './structure.module.css'

interface ChangeDialogProps {
  /** The table; of a new one it has no name yet. */
  readonly info: Pick<TableInfo, 'name' | 'columns'>
  readonly change: Change
  onClose(): void
}

const operationOf = (sql: string, cascade: boolean) => ({
  type: 'run_sql',
  args: { sql, cascade, check_metadata_consistency: true },
})

/** Asks for the fields of a change of the structure, shows its SQL and its effects on the metadata, and runs it. */
export function ChangeDialog({ info, change, onClose }: ChangeDialogProps) {
  const form = useKeptForm<ChangeValues>(`${change.title} of ${tableKey(info.name)}`, change.values)
  const { values, draft } = form
  // A change without fields is reviewed at once.
  const [isReviewed, setReviewed] = useState(change.fields.length === 0)
  const { isBusy, error, setError, attempt } = useAttempt()
  const [hasCascade, setCascade] = useState(false)
  const sql = change.sql(values)
  const go = useGo()
  const operations = [operationOf(sql ?? '', hasCascade), ...(change.after?.(values) ?? [])]
  const metadata = queries.getQueryData(metadataQuery.queryKey)
  const entry = metadata && entryOf(metadata, info.name)
  const apply = () =>
    attempt(async () => {
      await runAll(operations)
      const leave = () => change.goesTo && go(pathOf(...change.goesTo(values)))
      // The page of a table that is gone would ask for it once more.
      if (change.isDestructive) leave()
      await refreshMetadata()
      draft.forget()
      toast(`${change.title}: done`)
      onClose()
      if (!change.isDestructive) leave()
    })
  return (
    <Dialog
      isOpen
      isWide
      title={change.title}
      description={
        isReviewed
          ? 'PostgreSQL runs this. Its effects on the metadata are below.'
          : 'It becomes SQL, which you see before it runs.'
      }
      onClose={onClose}
      actions={
        <>
          {isReviewed && change.fields.length > 0 && (
            <Button look="quiet" onClick={() => setReviewed(false)}>
              Back
            </Button>
          )}
          <CancelButton draft={draft} onClose={onClose} />
          {isReviewed && change.isDestructive && (
            <DestroyButton name={info.name.name} isBusy={isBusy} onClick={() => void apply()}>
              Run this SQL
            </DestroyButton>
          )}
          {isReviewed && !change.isDestructive && (
            <Button look="main" isBusy={isBusy} onClick={() => void apply()}>
              Run this SQL
            </Button>
          )}
          {!isReviewed && (
            <Button look="main" disabled={sql === null} onClick={() => setReviewed(true)}>
              Review
            </Button>
          )}
        </>
      }
    >
      {!isReviewed && <DraftNote draft={draft} />}
      {!isReviewed &&
        change.fields.map((field) => (
          <Input
            key={field.name}
            {...{ field, info }}
            value={values[field.name] ?? ''}
            onChange={(value) => form.change({ [field.name]: value })}
          />
        ))}
      {sql !== null && <Code label="SQL" language="sql" value={sql} />}
      {isReviewed && change.isDestructive && (
        <Checkbox
          label="Remove the objects of the metadata that need it, too"
          checked={hasCascade}
          onChange={(event) => {
            setCascade(event.target.checked)
            setError(null)
          }}
        />
      )}
      {isReviewed && sql !== null && error === null && (
        <Touched operations={operations} roles={entry ? rolesOn(entry) : []} />
      )}
      {error !== null && <Failed error={error} />}
    </Dialog>
  )
}

interface InputProps {
  readonly field: ChangeField
  readonly info: ChangeDialogProps['info']
  readonly value: string
  onChange(value: string): void
}

function Input({ field: { label, kind, choices = [], help }, info, value, onChange }: InputProps) {
  if (kind === 'tick') {
    return (
      <Checkbox
        label={label}
        checked={value !== ''}
        onChange={(event) => onChange(event.target.checked ? 'yes' : '')}
      />
    )
  }
  if (kind === 'choice') {
    const options = choices.map((choice) => ({ value: choice, label: choice }))
    return <Select label={label} value={value} options={options} onChange={onChange} />
  }
  if (kind === 'lines') {
    return (
      <div className={css['lines']}>
        <p>{label}</p>
        <Code label={label} language="sql" value={value} onChange={onChange} />
        {help !== undefined && <p>{help}</p>}
      </div>
    )
  }
  if (kind === 'columns') return <Columns {...{ label, info, value, onChange }} />
  return (
    <Field
      label={label}
      value={value}
      help={help}
      isCode={kind === 'code'}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Columns in the order in which they are ticked. */
function Columns({ label, info, value, onChange }: Omit<InputProps, 'field'> & { readonly label: string }) {
  const chosen = value === '' ? [] : value.split(', ')
  return (
    <fieldset className={css['choices']}>
      <legend className={css['legend']}>
        {label}
        {chosen.length > 1 && `: ${value}`}
      </legend>
      {info.columns.map(({ name }) => (
        <Checkbox
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={() =>
            onChange((chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]).join(', '))
          }
        />
      ))}
    </fieldset>
  )
}
