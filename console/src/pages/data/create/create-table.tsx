import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { type TableName, tableKey, tableLabel } from '../../../server/names.ts'
import type { SourceTable } from '../../../server/queries.ts'
import { SqlDialog } from '../structure/sql-dialog.tsx'
import { tableInfoQuery } from '../table-info.ts'
import { Columns } from './columns.tsx'
import css from './create.module.css'
import { databaseNamesQuery } from './database-names.ts'
import { type Faults, faultsOf, guessed, hasFaults, type Known, shownFault, type Target } from './faults.ts'
import { ForeignKeys } from './foreign-keys.tsx'
import { beginningIn, filledColumns, type NewTable, nameOf, sqlOf } from './new-table.ts'

interface CreateTableProps {
  readonly tables: readonly SourceTable[]
  onClose(): void
}

/** The form of a new table, which is served at once. */
export default function CreateTable({ tables, onClose }: CreateTableProps) {
  const names = useQuery(databaseNamesQuery).data
  const used = tables.map(({ schema }) => schema)
  const schemas = [...new Set(['public', ...(names?.schemas ?? used)])].sort()
  const { values: typed, change, draft } = useKeptForm<NewTable>('new table', beginningIn('public'))
  const known = useKnown(tables, typed)
  const values = guessed(typed, known)
  const faults = faultsOf(values, known)
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  const isWhole = values.sql === null ? !hasFaults(faults) : faults.name === null && values.sql.trim() !== ''
  const made = isWhole ? sqlOf(values, known.tableOf) : null
  const table = nameOf(values)
  const show = () => {
    setTried(true)
    // The fields have their faults once they are drawn again.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid], [data-fault]')?.focus())
  }
  return (
    <SqlDialog
      isTall
      title="Create table"
      sql={isWhole ? (values.sql ?? made) : null}
      after={values.isTracked ? [{ type: 'track_table', args: table }] : []}
      goesTo={['data', table.schema, table.name]}
      onFault={show}
      {...(values.sql !== null && { onSqlChange: (sql: string) => change({ sql }) })}
      {...{ table, draft, onClose }}
    >
      <div ref={form} className={css['form']}>
        <div className={css['names']}>
          <Field
            label="Name"
            value={values.name}
            error={shownFault(faults.name, isTried)}
            help={values.sql === null ? undefined : 'the table that the SQL creates'}
            onChange={(event) => change({ name: event.target.value })}
          />
          {schemas.length > 1 && (
            <Select<string>
              label="Schema"
              value={values.schema}
              options={schemas.map((name) => ({ value: name, label: name }))}
              onChange={(schema) => change({ schema })}
            />
          )}
          {values.sql === null && (
            <Field
              label="Comment"
              value={values.comment}
              onChange={(event) => change({ comment: event.target.value })}
            />
          )}
        </div>
        {values.sql === null && (
          <Parts {...{ values, change, known, faults, isTried, tables }} types={names?.types ?? []} />
        )}
        <Checkbox
          label="Track it, so that GraphQL has it"
          checked={values.isTracked}
          onChange={(event) => change({ isTracked: event.target.checked })}
        />
        <SqlHead
          isWhole={made !== null}
          isEdited={values.sql !== null}
          onEdit={() => change({ sql: made })}
          onForm={() => change({ sql: null })}
        />
      </div>
    </SqlDialog>
  )
}

interface PartsProps {
  readonly values: NewTable
  change(changes: Partial<NewTable>): void
  readonly known: Known
  readonly faults: Faults
  readonly isTried: boolean
  readonly tables: readonly SourceTable[]
  readonly types: Parameters<typeof Columns>[0]['types']
}

/** The columns and the foreign keys. */
function Parts({ values, change, known, faults, isTried, tables, types }: PartsProps) {
  const own = nameOf(values)
  const labels = tables.filter(({ kind }) => kind.includes('table')).map(tableLabel)
  const targets = [
    ...(own.name === '' ? [] : [{ value: tableLabel(own), note: 'this table' }]),
    ...labels.map((value) => ({ value })),
  ]
  return (
    <>
      <Columns {...{ values, change, isTried, types }} faults={faults} />
      <ForeignKeys {...{ values, change, known, isTried, targets }} faults={faults.foreignKeys} />
    </>
  )
}

interface SqlHeadProps {
  /** Whether the form has become SQL. */
  readonly isWhole: boolean
  readonly isEdited: boolean
  onEdit(): void
  onForm(): void
}

/** The words above the SQL, with the way to edit it. */
const SqlHead = ({ isWhole, isEdited, onEdit, onForm }: SqlHeadProps) => (
  <div className={css['sqlHead']}>
    <h3>SQL</h3>
    {isEdited ? (
      <Button look="quiet" onClick={onForm}>
        Back to the form, without these edits
      </Button>
    ) : (
      <Button look="quiet" disabled={!isWhole} onClick={onEdit}>
        Edit as SQL
      </Button>
    )}
  </div>
)

/** The part of the database that the form is judged by. The tables that its foreign keys lead to are read. */
function useKnown(tables: readonly SourceTable[], values: NewTable): Known {
  const byLabel = useMemo(
    () => new Map(tables.map(({ schema, name }) => [tableLabel({ schema, name }), { schema, name }])),
    [tables],
  )
  const keys = useMemo(() => new Set(tables.map(tableKey)), [tables])
  const own = nameOf(values)
  const tableOf = (label: string): TableName | null =>
    own.name !== '' && label.trim() === tableLabel(own) ? own : (byLabel.get(label.trim()) ?? null)
  const asked = [...new Set(values.foreignKeys.map(({ table }) => tableOf(table)))].filter(
    (table) => table !== null && table !== own,
  ) as readonly TableName[]
  const infos = useQueries({ queries: asked.map((table) => tableInfoQuery(table)) })
  return {
    ...{ tables: keys, tableOf },
    targetOf(table) {
      if (table === own) return ownTarget(values)
      const info = infos[asked.findIndex((each) => tableKey(each) === tableKey(table))]?.data
      if (!info) return null
      const unique = Object.values(info.unique_keys)
      return {
        columns: info.columns.map(({ name }) => name),
        keys: info.primary_key ? [info.primary_key, ...unique] : unique,
      }
    },
  }
}

/** The new table as one that its own foreign keys lead to. */
function ownTarget(values: NewTable): Target {
  const columns = filledColumns(values).map((column) => ({ ...column, name: column.name.trim() }))
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  return {
    columns: columns.map(({ name }) => name),
    keys: [...(key.length > 0 ? [key] : []), ...columns.filter(({ isUnique }) => isUnique).map(({ name }) => [name])],
  }
}
