import { useQuery } from '@tanstack/react-query'
import { plural } from '../../base/format.ts'
import { useKeptForm } from '../../base/kept-form.ts'
import { memberOf } from '../../base/members.ts'
import { Checkbox, Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { type TableName, tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import { entryOf, type Metadata, metadataQuery, queries } from '../../server/queries.ts'
import css from './overview.module.css'
import { replacing } from './relations/replacing.ts'

interface Suggested {
  readonly relationships: readonly {
    readonly type: 'object' | 'array'
    readonly name: string
    readonly from: { readonly table: TableName; readonly columns: readonly string[] }
    readonly to: { readonly table: TableName; readonly columns: readonly string[] }
  }[]
  readonly operations: readonly {
    readonly type: string
    readonly args: { readonly name: string; readonly table: TableName } & Record<string, unknown>
  }[]
}

/** By the keys of suggestions, whose list changes with each edit. */
interface Values {
  readonly left: readonly string[]
  readonly names: Readonly<Record<string, string>>
}

const key = ['suggestions']

const keyOf = ({ type, args }: Suggested['operations'][number]): string => JSON.stringify([type, args.table, args.name])

/** The relationships that foreign keys suggest, as a checklist with names to edit. */
export function Suggestions({ onClose }: { onClose(): void }) {
  const suggested = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => run<Suggested>('suggest_relationships', {}, { signal }),
  })
  const base = useOpened(queries.getQueryData(metadataQuery.queryKey))
  const { values, change, draft } = useKeptForm<Values>('suggested relationships', { left: [], names: {} })
  const { left, names } = values
  const { isBusy, error, save } = useEdit()
  const { relationships = [], operations = [] } = suggested.data ?? {}
  const chosen = operations.filter((each) => !left.includes(keyOf(each)))
  const add = async () => {
    const renamed = chosen.map((each) => ({
      type: each.type,
      args: { ...each.args, name: memberOf(names, keyOf(each)) ?? each.args.name },
    }))
    const count = plural(renamed.length, 'relationship')
    const operations = (now: Metadata, isOnTop: boolean) =>
      renamed.flatMap((each) => replacing(each, isOnTop ? now : null))
    const part = (now: Metadata) => renamed.map(({ args }) => entryOf(now, args.table))
    const edit = { title: `Add ${count}`, part, operations, mine: renamed, ...(base && { base }) }
    if (!(await save({ ...edit, done: `Added ${count}` }))) return
    draft.forget()
    onClose()
  }
  const toggle = (each: string) =>
    change({ left: left.includes(each) ? left.filter((other) => other !== each) : [...left, each] })
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
      draft={draft}
      error={error}
    >
      {suggested.isPending && <Loading label="Reading the suggestions" queryKey={key} />}
      {suggested.isError && <Failed error={suggested.error} onRetry={() => void suggested.refetch()} />}
      {suggested.data && relationships.length === 0 && (
        <Empty title="Nothing to add">Every foreign key between tracked tables has its relationships.</Empty>
      )}
      <ul className={css['list']}>
        {relationships.map(({ type, name, from, to }, index) => {
          const each = keyOf(operations[index]!)
          return (
            <li key={`${type} ${tableLabel(from.table)} ${name}`} className={css['suggestion']}>
              <Checkbox
                label={`Add ${name}`}
                isLabelHidden
                checked={!left.includes(each)}
                onChange={() => toggle(each)}
              />
              <Field
                label={`Name of the ${type} relationship of ${tableLabel(from.table)}`}
                isLabelHidden
                value={memberOf(names, each) ?? name}
                disabled={left.includes(each)}
                onChange={(event) => change({ names: { ...names, [each]: event.target.value } })}
              />
              <code>
                {tableLabel(from.table)} ({from.columns.join(', ')}) → {tableLabel(to.table)} ({to.columns.join(', ')})
              </code>
              <span>{type === 'array' ? 'many' : 'one'}</span>
            </li>
          )
        })}
      </ul>
    </FormDialog>
  )
}
