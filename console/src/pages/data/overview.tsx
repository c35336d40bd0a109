import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { formatBytes, formatEstimate, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, Select } from '../../parts/field.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Page, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { readOnly } from '../../requests/mode.ts'
import { tableKey } from '../../server/names.ts'
import { metadataQuery, type SourceTable, sourceTablesQuery, tablesOf, usePlugin } from '../../server/queries.ts'
import { pathOf, To, useGo, useUrlState } from '../../shell/navigation.tsx'
import css from './overview.module.css'
import { Suggestions } from './suggestions.tsx'
import { useTracking } from './tracking.ts'

const CreateTableDialog = lazy(() => import('./create/create-table.tsx'))

const shown = {
  all: () => true,
  tracked: ({ is_tracked }: SourceTable) => is_tracked,
  untracked: ({ is_tracked }: SourceTable) => !is_tracked,
}

type Shown = keyof typeof shown

/** The roles that have a permission on each table. */
const useRoles = (): ReadonlyMap<string, number> => {
  const { data } = useQuery(metadataQuery)
  return useMemo(() => {
    const entries = data ? tablesOf(data) : []
    return new Map(
      entries.map((entry) => {
        const lists = [
          entry.select_permissions,
          entry.insert_permissions,
          entry.update_permissions,
          entry.delete_permissions,
        ]
        return [
          tableKey(entry.table),
          new Set(lists.flatMap((list = []) => list.map(({ role }) => role))).size,
        ] as const
      }),
    )
  }, [data])
}

/** All tables of the database: which are served, and tracking more. */
export default function Overview() {
  const tables = useQuery(sourceTablesQuery)
  const [areSuggestionsOpen, setSuggestionsOpen] = useState(false)
  if (!tables.data?.length) {
    return (
      <Page title="Data">
        {tables.isPending && <Loading label="Reading the tables" queryKey={sourceTablesQuery.queryKey} />}
        {tables.isError && <Failed error={tables.error} onRetry={() => void tables.refetch()} />}
        {tables.data && (
          <Empty title="The database has no tables" actions={<CreateTable look="main" tables={tables.data} />}>
            Create tables here, with SQL or with a migration. They appear here, and can be tracked to serve them.
          </Empty>
        )}
      </Page>
    )
  }
  return (
    <>
      <Tables tables={tables.data} onSuggest={() => setSuggestionsOpen(true)} />
      {areSuggestionsOpen && <Suggestions onClose={() => setSuggestionsOpen(false)} />}
    </>
  )
}

interface CreateTableProps {
  readonly look: 'main' | 'plain'
  readonly tables: readonly SourceTable[]
}

/** Opens the form of a new table, where the server runs SQL. */
function CreateTable({ look, tables }: CreateTableProps) {
  const [isOpen, setOpen] = useState(false)
  const hasSql = usePlugin('sql')
  const canEdit = useStore(readOnly) === null
  if (!hasSql || !canEdit) return null
  return (
    <>
      <Button look={look} icon={<Plus aria-hidden />} onClick={() => setOpen(true)}>
        Create table
      </Button>
      {isOpen && (
        <Suspense>
          <CreateTableDialog tables={tables} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function useShownTables(tables: readonly SourceTable[]) {
  const [text] = useUrlState('filter')
  const [schema] = useUrlState('schema')
  const [state] = useUrlState('show')
  return useMemo(() => {
    const needle = text.trim().toLowerCase()
    const isShown = shown[(state || 'all') as Shown] ?? shown.all
    return tables.filter(
      (table) =>
        isShown(table) &&
        (schema === '' || table.schema === schema) &&
        `${table.schema}.${table.name}`.toLowerCase().includes(needle),
    )
  }, [tables, text, schema, state])
}

function Tables({ tables, onSuggest }: { readonly tables: readonly SourceTable[]; onSuggest(): void }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const rows = useShownTables(tables)
  const go = useGo()
  const canEdit = useStore(readOnly) === null
  const chosen = rows.filter((table) => selected.has(tableKey(table)))
  const columns = useColumns({ rows, selected, setSelected, canEdit })
  const trackedCount = tables.filter(({ is_tracked }) => is_tracked).length
  return (
    <Page
      title="Data"
      note={`${plural(tables.length, 'table')}, ${trackedCount} tracked`}
      actions={
        canEdit && (
          <Actions
            rows={chosen.length > 0 ? chosen : rows}
            isChosen={chosen.length > 0}
            onDone={() => setSelected(new Set())}
            onSuggest={onSuggest}
            create={<CreateTable look="plain" tables={tables} />}
          />
        )
      }
    >
      <Filters tables={tables} />
      {rows.length === 0 ? (
        <Empty title="No table matches">Change the filter to see others.</Empty>
      ) : (
        <Table<SourceTable>
          label="Tables"
          rows={rows}
          columns={columns}
          rowKey={tableKey}
          onOpen={({ schema, name }) => go(pathOf('data', schema, name))}
          isSelected={(table) => selected.has(tableKey(table))}
        />
      )}
    </Page>
  )
}

function Filters({ tables }: { readonly tables: readonly SourceTable[] }) {
  const [text, setText] = useUrlState('filter')
  const [schema, setSchema] = useUrlState('schema')
  const [state, setState] = useUrlState('show')
  const schemas = [...new Set(tables.map((table) => table.schema))].sort()
  return (
    <Toolbar label="Filter">
      <div className={css['filter']}>
        <FilterField label="Filter tables" value={text} onChange={setText} />
      </div>
      <div className={css['choice']}>
        <Select<string>
          label="Show"
          isLabelHidden
          value={state || 'all'}
          options={[
            { value: 'all', label: 'All tables' },
            { value: 'tracked', label: 'Tracked' },
            { value: 'untracked', label: 'Not tracked' },
          ]}
          onChange={(next) => setState(next === 'all' ? '' : next)}
        />
      </div>
      {schemas.length > 1 && (
        <div className={css['choice']}>
          <Select<string>
            label="Schema"
            isLabelHidden
            value={schema}
            options={[{ value: '', label: 'All schemas' }, ...schemas.map((name) => ({ value: name, label: name }))]}
            onChange={setSchema}
          />
        </div>
      )}
    </Toolbar>
  )
}

interface ActionsProps {
  readonly rows: readonly SourceTable[]
  readonly isChosen: boolean
  onDone(): void
  onSuggest(): void
  readonly create: ReactNode
}

function Actions({ rows, isChosen, onDone, onSuggest, create }: ActionsProps) {
  const tracking = useTracking(onDone)
  const [hasRelationships, setRelationships] = useState(true)
  const untracked = rows.filter(({ is_tracked }) => !is_tracked)
  const tracked = rows.filter(({ is_tracked }) => is_tracked)
  return (
    <div className={css['actions']}>
      {tracking.error !== null && <Failed error={tracking.error} />}
      {tracking.warnings.length > 0 && (
        <p role="status" className={css['warnings']}>
          {tracking.warnings.map(({ name, message }) => `${name}: ${message}`).join('; ')}
        </p>
      )}
      <FormDialog
        isOpen={tracking.question !== null}
        title="Other objects need these tables"
        description="They are removed together with the tables. The data stays."
        onClose={() => tracking.answer(false)}
        submit="Untrack with dependents"
        destroys={tracked.length === 1 ? tracked[0]!.name : String(tracked.length)}
        onSubmit={() => tracking.answer(true)}
      >
        {tracking.question?.reasons.map(({ name, message }) => (
          <p key={name}>
            <strong>{name}</strong>: {message}
          </p>
        ))}
      </FormDialog>
      <To path="data/diagram">Diagram</To>
      <To path="data/functions">Functions</To>
      <Button look="quiet" onClick={onSuggest}>
        Suggest relationships
      </Button>
      {create}
      {isChosen && tracked.length > 0 && (
        <Button isBusy={tracking.isBusy} onClick={() => tracking.untrack(tracked)}>
          Untrack {plural(tracked.length, 'table')}
        </Button>
      )}
      {untracked.length > 0 && (
        <>
          <Checkbox
            label="with relationships"
            checked={hasRelationships}
            onChange={(event) => setRelationships(event.target.checked)}
          />
          <Button look="main" isBusy={tracking.isBusy} onClick={() => tracking.track(untracked, hasRelationships)}>
            Track {plural(untracked.length, 'table')}
          </Button>
        </>
      )}
    </div>
  )
}

interface ColumnsOptions {
  readonly rows: readonly SourceTable[]
  readonly selected: ReadonlySet<string>
  setSelected(selected: ReadonlySet<string>): void
  readonly canEdit: boolean
}

function useColumns({ rows, selected, setSelected, canEdit }: ColumnsOptions): readonly TableColumn<SourceTable>[] {
  const roles = useRoles()
  const toggle = (table: SourceTable) => {
    const next = new Set(selected)
    if (!next.delete(tableKey(table))) next.add(tableKey(table))
    setSelected(next)
  }
  const areAll = rows.length > 0 && rows.every((table) => selected.has(tableKey(table)))
  const choice: TableColumn<SourceTable> = {
    key: 'select',
    title: 'Select',
    width: '52px',
    head: (
      <Checkbox
        label="Select all shown tables"
        isLabelHidden
        checked={areAll}
        onChange={() => setSelected(areAll ? new Set() : new Set(rows.map(tableKey)))}
      />
    ),
    cell: (table) => (
      <Checkbox
        label={`Select ${table.name}`}
        isLabelHidden
        checked={selected.has(tableKey(table))}
        onChange={() => toggle(table)}
      />
    ),
  }
  return [
    ...(canEdit ? [choice] : []),
    {
      ...{ key: 'name', title: 'Name', width: 'minmax(120px, 2fr)' },
      cell: ({ schema, name, description }) => (
        <To path={pathOf('data', schema, name)} title={description ?? undefined} className={css['name']}>
          {name}
        </To>
      ),
    },
    { key: 'schema', title: 'Schema', width: 'minmax(80px, 1fr)', isSecondary: true, cell: ({ schema }) => schema },
    { key: 'kind', title: 'Kind', width: '120px', isSecondary: true, cell: ({ kind }) => kind },
    {
      ...{ key: 'rows', title: 'Rows', width: '88px', align: 'end', isSecondary: true },
      cell: ({ estimated_rows }) => (estimated_rows === null ? '–' : formatEstimate(estimated_rows)),
    },
    {
      ...{ key: 'size', title: 'Size', width: '80px', align: 'end', isSecondary: true },
      cell: ({ bytes }) => (bytes === null ? '–' : formatBytes(bytes)),
    },
    {
      ...{ key: 'tracked', title: 'Tracked', width: '120px' },
      cell: ({ is_tracked }) => (is_tracked ? <Mark state="good">tracked</Mark> : <Mark state="off">not tracked</Mark>),
    },
    {
      ...{ key: 'roles', title: 'Roles', width: '72px', align: 'end', isSecondary: true },
      cell: (table) => (table.is_tracked ? (roles.get(tableKey(table)) ?? 0) : ''),
    },
  ]
}
