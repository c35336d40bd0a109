import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Field, Select } from '../../../parts/field.tsx'
import { Group } from '../../../parts/group.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { asFailure } from '../../../requests/failure.ts'
import { type TableName, tableKey, tableLabel, tableName } from '../../../server/names.ts'
import { entryOf, type Metadata, type TableEntry, tablesOf } from '../../../server/queries.ts'
import type { ColumnPair } from '../column-pair.ts'
import { ColumnPairs } from '../column-pairs.tsx'
import { type TableInfo, tableInfoQuery } from '../table-info.ts'
import { examplesQuery } from './examples.ts'
import css from './relations.module.css'
import { RelationshipForm } from './relationship-form.tsx'
import { replacing } from './replacing.ts'

interface TableFormProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly base: Metadata
  onClose(): void
}

interface Values {
  readonly kind: 'object' | 'array'
  readonly name: string
  readonly target: string
  readonly pairs: readonly ColumnPair[]
}

const beginning: Values = { kind: 'object', name: '', target: '', pairs: [['', '']] }

const namesOf = ({ columns }: TableInfo) => columns.map(({ name }) => name)

/** A manual relationship to a table, with a live example once its columns are chosen. */
export function TableForm({ info, entry, base: current, onClose }: TableFormProps) {
  const base = useOpened(current)
  const form = useKeptForm(`relationship of ${tableKey(info.name)}`, beginning)
  const { kind, name, target, pairs } = form.values
  const { isBusy, error, save } = useEdit()
  const list = useId()
  const tables = tablesOf(base).map(({ table }) => tableName(table))
  const to = tables.find((table) => tableLabel(table) === target.trim()) ?? null
  const other = useQuery({ ...tableInfoQuery(to ?? info.name), enabled: to !== null })
  const isWhole = to !== null && pairs.length > 0 && pairs.every(([from, there]) => from !== '' && there !== '')
  const add = async () => {
    if (to === null) return
    const manual = { remote_table: to, column_mapping: Object.fromEntries(pairs) }
    const args = { table: entry.table, name: name.trim(), using: { manual_configuration: manual } }
    const title = `Add ${name.trim()} to ${tableLabel(info.name)}`
    const operation = { type: `create_${kind}_relationship`, args }
    const operations = (now: Metadata, isOnTop: boolean) => replacing(operation, isOnTop ? now : null)
    const part = (now: Metadata) => entryOf(now, info.name)
    if (!(await save({ title, part, base, operations, mine: operation, done: `Added ${name.trim()}` }))) return
    form.draft.forget()
    onClose()
  }
  return (
    <RelationshipForm
      submit="Add relationship"
      disabled={!isWhole || name.trim() === ''}
      draft={form.draft}
      onSubmit={() => void add()}
      {...{ isBusy, error, onClose }}
    >
      <div className={css['fields']}>
        <Field label="Name" value={name} onChange={(event) => form.change({ name: event.target.value })} />
        <Select<'object' | 'array'>
          label="Leads to"
          value={kind}
          options={[
            { value: 'object', label: 'one row' },
            { value: 'array', label: 'many rows' },
          ]}
          onChange={(next) => form.change({ kind: next })}
        />
        <Field
          label="Table"
          list={list}
          value={target}
          error={target.trim() !== '' && to === null ? 'No tracked table has this name.' : null}
          onChange={(event) => {
            form.change({ target: event.target.value, pairs: pairs.map(([from]) => [from, '']) })
          }}
        />
        <datalist id={list}>
          {tables.map((table) => (
            <option key={JSON.stringify(table)} value={tableLabel(table)} />
          ))}
        </datalist>
      </div>
      {to !== null && other.data && (
        <Group legend="Columns that are equal">
          <ColumnPairs
            pairs={pairs}
            here={{ label: `Column of ${tableLabel(info.name)}`, columns: namesOf(info) }}
            there={{ label: `Column of ${tableLabel(to)}`, columns: namesOf(other.data) }}
            onChange={(next) => form.change({ pairs: next })}
          />
        </Group>
      )}
      {other.isError && <Failed error={other.error} onRetry={() => void other.refetch()} />}
      {isWhole && <LiveExample info={info} to={to} columns={pairs} />}
    </RelationshipForm>
  )
}

interface LiveExampleProps {
  readonly info: TableInfo
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
}

/** The rows that the columns join, before anything is saved. */
function LiveExample({ info, to, columns }: LiveExampleProps) {
  const examples = useQuery({ ...examplesQuery(info, [{ to, columns }]), retry: false })
  const example = examples.data?.[0]
  return (
    <p role="status" className={css['live']}>
      {examples.isError && `No example: ${asFailure(examples.error).message}`}
      {example === null && 'None of the first rows has a related one.'}
      {example && `As ${example.from} → ${example.to.join(', ')}`}
    </p>
  )
}
