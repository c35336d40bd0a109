import { useKeptForm } from '../../../base/kept-form.ts'
import { memberOf } from '../../../base/members.ts'
import { Field } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { tableKey, tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata, type TableEntry } from '../../../server/queries.ts'
import type { TableInfo } from '../table-info.ts'

type Names = Readonly<Record<string, string>>

interface Configuration {
  readonly custom_name?: string
  readonly custom_column_names?: Names
  readonly column_config?: Readonly<Record<string, { readonly custom_name?: string; readonly comment?: string }>>
  readonly [key: string]: unknown
}

/** The settings of a table's names. */
export const configurationOf = (entry: TableEntry): Configuration => (entry['configuration'] ?? {}) as Configuration

/** Why a table has no name in GraphQL; null: it has one. */
export function namelessText(entry: TableEntry): string | null {
  const name = configurationOf(entry).custom_name ?? tableLabel(entry.table)
  if (/^[_A-Za-z][._0-9A-Za-z]*$/.test(name)) return null
  return `GraphQL has no names like ${name}. “Change names” of the tab Structure gives the table another one.`
}

/** The names of columns in GraphQL, where they differ from those of the database. */
export const columnNamesOf = ({
  custom_column_names: names = {},
  column_config: settings = {},
}: Configuration): Names => ({
  ...names,
  ...Object.fromEntries(
    Object.entries(settings).flatMap(([column, { custom_name: name }]) => (name === undefined ? [] : [[column, name]])),
  ),
})

interface NamesDialogProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly base: Metadata
  onClose(): void
}

/** The names of a table and its columns in GraphQL. All other settings of names stay. */
export function NamesDialog({ info, entry, base: current, onClose }: NamesDialogProps) {
  const base = useOpened(current)
  const before = useOpened(configurationOf(entry))
  const { values, change, draft } = useKeptForm(`names of ${tableKey(info.name)}`, {
    name: before.custom_name ?? '',
    columns: columnNamesOf(before),
  })
  const { name, columns } = values
  const { isBusy, error, save } = useEdit()
  const operationOver = (old: Configuration) => {
    const { custom_name: _, custom_column_names: __, column_config: settings = {}, ...others } = old
    const named = Object.fromEntries(Object.entries(columns).filter(([, each]) => each !== ''))
    const comments = Object.entries(settings).flatMap(([column, { comment }]) =>
      comment === undefined
        ? []
        : [[column, { comment, ...(memberOf(named, column) && { custom_name: named[column] }) }]],
    )
    const configuration = {
      ...others,
      ...(name !== '' && { custom_name: name }),
      ...(comments.length > 0 && { column_config: Object.fromEntries(comments) }),
      custom_column_names: named,
    }
    return { type: 'set_table_customization', args: { table: info.name, configuration } }
  }
  const submit = async () => {
    const title = `Names of ${tableLabel(info.name)}`
    const part = (now: Metadata) => entryOf(now, info.name)
    const operations = (now: Metadata) => {
      const newest = part(now)
      return [operationOver(newest ? configurationOf(newest) : before)]
    }
    if (!(await save({ title, part, operations, base, done: 'Saved the names' }))) return
    draft.forget()
    onClose()
  }
  return (
    <FormDialog
      title="Names in GraphQL"
      description="An empty field keeps the name of the database."
      onClose={onClose}
      submit="Save names"
      isBusy={isBusy}
      onSubmit={submit}
      draft={draft}
      error={error}
    >
      <Field
        label="Table"
        value={name}
        placeholder={info.name.name}
        isCode
        onChange={(event) => change({ name: event.target.value })}
      />
      {info.columns.map(({ name: column }) => (
        <Field
          key={column}
          label={column}
          value={memberOf(columns, column) ?? ''}
          placeholder={column}
          isCode
          onChange={(event) => change({ columns: { ...columns, [column]: event.target.value } })}
        />
      ))}
    </FormDialog>
  )
}
