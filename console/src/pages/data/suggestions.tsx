import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { Checkbox, Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { type TableName, tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import css from './overview.module.css'

interface Suggested {
  readonly relationships: readonly {
    readonly type: 'object' | 'array'
    readonly name: string
    readonly from: { readonly table: TableName; readonly columns: readonly string[] }
    readonly to: { readonly table: TableName; readonly columns: readonly string[] }
  }[]
  readonly operations: readonly {
    readonly type: string
    readonly args: { readonly name: string } & Record<string, unknown>
  }[]
}

const key = ['suggestions']

/** The relationships that foreign keys suggest, as a checklist with names to edit. */
export function Suggestions({ onClose }: { onClose(): void }) {
  const suggested = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => run<Suggested>('suggest_relationships', {}, { signal }),
  })
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const [names, setNames] = useState<Readonly<Record<number, string>>>({})
  const { isBusy, error, save } = useEdit()
  const { relationships = [], operations = [] } = suggested.data ?? {}
  const chosen = operations.filter((_, index) => !left.has(index))
  const add = async () => {
    const renamed = operations.flatMap(({ type, args }, index) =>
      left.has(index) ? [] : [{ type, args: { ...args, name: names[index] ?? args.name } }],
    )
    const count = plural(renamed.length, 'relationship')
    if (await save({ title: `Add ${count}`, operations: renamed, done: `Added ${count}` })) onClose()
  }
  const toggle = (index: number) => {
    const next = new Set(left)
    if (!next.delete(index)) next.add(index)
    setLeft(next)
  }
  return (
    <FormDialog
      isWide
      title="Suggested relationships"
      description="Foreign keys between tracked tables that have no relationship yet. The names can be edited."
      onClose={onClose}
      submit={`Add ${plural(chosen.length, 'relationship')}`}
      isBusy={isBusy}
      disabled={chosen.length === 0}
      onSubmit={add}
      error={error}
    >
      {suggested.isPending && <Loading label="Reading the suggestions" queryKey={key} />}
      {suggested.isError && <Failed error={suggested.error} onRetry={() => void suggested.refetch()} />}
      {suggested.data && relationships.length === 0 && (
        <Empty title="Nothing to add">Every foreign key between tracked tables has its relationships.</Empty>
      )}
      <ul className={css['list']}>
        {relationships.map(({ type, name, from, to }, index) => (
          <li key={`${type} ${tableLabel(from.table)} ${name}`} className={css['suggestion']}>
            <Checkbox label={`Add ${name}`} isLabelHidden checked={!left.has(index)} onChange={() => toggle(index)} />
            <Field
              label={`Name of the ${type} relationship of ${tableLabel(from.table)}`}
              isLabelHidden
              value={names[index] ?? name}
              disabled={left.has(index)}
              onChange={(event) => setNames({ ...names, [index]: event.target.value })}
            />
            <code>
              {tableLabel(from.table)} ({from.columns.join(', ')}) → {tableLabel(to.table)} ({to.columns.join(', ')})
            </code>
            <span>{type === 'array' ? 'many' : 'one'}</span>
          </li>
        ))}
      </ul>
    </FormDialog>
  )
}
