import { useInfiniteQuery } from '@tanstack/react-query'
import { Columns3, Eye, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { formatCount, formatEstimate, plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Toolbar } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { identity } from '../../../requests/identity.ts'
import { readOnly } from '../../../requests/mode.ts'
import type { TableName } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { useUrlChange, useUrlState } from '../../../shell/navigation.tsx'
import { identityOf, identityText } from '../look-as/look.ts'
import { LookAs } from '../look-as/look-as.tsx'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { CellDialog } from './cell-dialog.tsx'
import { ColumnsPanel } from './columns-panel.tsx'
import { type Condition, FilterFault, readFilter } from './filter.ts'
import { FilterBar } from './filter-bar.tsx'
import { Grid } from './grid.tsx'
import { ImportRows } from './import-dialog.tsx'
import { type BrowsedRows, columnsOf, type GridColumn, type GridRow, rowsOf } from './model.ts'
import { RecordCards } from './record-cards.tsx'
import { Review } from './review.tsx'
import css from './rows.module.css'
import { type CellChange, type Staged, stageCell, stageDelete, stagedOf, stageInsert } from './staged.ts'
import { useIsNarrow } from './use-narrow.ts'

/** Rows that one request fetches. */
const pageRows = 100
/** Pages that stay in the page: 2,000 rows, beyond which the first ones go. */
const keptPages = 20
/** Columns that are fetched at first. */
const firstColumns = 40

interface RowsProps {
  readonly table: TableName
  readonly info: TableInfo
  readonly isTracked: boolean
}

/** The rows of a table, read as the chosen identity. */
export default function Rows({ table, info, isTracked }: RowsProps) {
  if (isTracked) return <TrackedRows table={table} info={info} />
  return (
    <Empty title="This table is not tracked">
      Rows can be read once the table is tracked, which also adds it to the GraphQL API. Track it in the list of tables.
    </Empty>
  )
}

/** The filter of the address: its condition, or the fault in it. */
function useFilter(types: ReadonlyMap<string, string>): { condition: Condition | null; fault: FilterFault | null } {
  const [text] = useUrlState('where')
  return useMemo(() => {
    try {
      return { condition: readFilter(text, types), fault: null }
    } catch (error) {
      if (!(error instanceof FilterFault)) throw error
      return { condition: null, fault: error }
    }
  }, [text, types])
}

interface MorePages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  fetchNextPage(): Promise<unknown>
}

/** Returns the function that fetches the next page, one at a time. */
const useMore = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: MorePages) =>
  useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

/** The set with the key, or without it where it was there. */
const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> =>
  new Set(set.has(key) ? [...set].filter((each) => each !== key) : [...set, key])

/** Ctrl+S reviews the staged edits; the browser never saves the page. */
function useSaveKey(hasEdits: boolean, onSave: () => void): void {
  const latest = useRef(onSave)
  latest.current = onSave
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (hasEdits) latest.current()
    }
    window.addEventListener('keydown', follow)
    return () => window.removeEventListener('keydown', follow)
  }, [hasEdits])
}

const chosenColumns = (text: string, info: TableInfo): readonly string[] => {
  const known = info.columns.map(({ name }) => name)
  const chosen = text === '' ? [] : text.split(',').map(decodeURIComponent)
  const kept = chosen.filter((name) => known.includes(name))
  return kept.length > 0 ? kept : known.slice(0, firstColumns)
}

function TrackedRows({ table, info }: Omit<RowsProps, 'isTracked'>) {
  const as = useStore(identity)
  const store = stagedOf(table)
  const staged = useStore(store)
  const canEdit = useStore(readOnly) === null
  const isNarrow = useIsNarrow()
  const [orderText] = useUrlState('order')
  const [columnText] = useUrlState('cols')
  const [lookText, setLook] = useUrlState('as')
  const change = useUrlChange()
  const order = useMemo(() => (orderText === '' ? [] : orderText.split(',').map(decodeURIComponent)), [orderText])
  const names = useMemo(() => chosenColumns(columnText, info), [columnText, info])
  const types = useMemo(() => typesOf(info), [info])
  const { condition, fault } = useFilter(types)
  const [past, setPast] = useState<readonly Staged[]>([])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<{ row: GridRow; column: GridColumn } | null>(null)
  const [isReviewing, setReviewing] = useState(false)
  const [areColumnsOpen, setColumnsOpen] = useState(false)
  // The key of a row is needed, shown or not.
  const fetched = [...new Set([...names, ...(info.primary_key ?? [])])]
  const key = ['rows', table, as, names, order, condition]
  const rows = useInfiniteQuery({
    queryKey: key,
    enabled: fault === null,
    staleTime: 0,
    maxPages: keptPages,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      run<BrowsedRows>(
        'browse_rows',
        browseArguments({ table, as: as.role, names: fetched, order, condition, after: pageParam }),
        {
          as,
          signal,
        },
      ),
    getNextPageParam: (page) => (page.rows.length < pageRows ? null : page.next),
    getPreviousPageParam: () => null,
    placeholderData: (before) => before,
  })
  const pages = rows.data?.pages
  const columns = useMemo(
    () => (pages?.[0] ? columnsOf(pages[0], info).filter(({ name }) => names.includes(name)) : []),
    [pages, info, names],
  )
  const shown = useMemo(() => rowsOf(pages ?? [], staged), [pages, staged])
  const stage = (next: Staged) => {
    setPast([...past, store.get()].slice(-100))
    store.set(next)
  }
  const undo = () => {
    const before = past.at(-1)
    if (!before) return
    store.set(before)
    setPast(past.slice(0, -1))
  }
  const { hasNextPage } = rows
  const more = useMore(rows)
  const stagedCount = Object.keys(staged).length
  useSaveKey(stagedCount > 0, () => setReviewing(true))
  const reorder = (name: string, isAdded: boolean) => {
    const others = isAdded ? order.filter((each) => each !== name && each !== `-${name}`) : []
    const next = order.includes(name) ? [`-${name}`] : order.includes(`-${name}`) ? [] : [name]
    change({ order: [...others, ...next].map(encodeURIComponent).join(',') })
  }
  const changeCell = (row: GridRow, column: GridColumn, value: string | null | undefined) =>
    changeFrom(row, column, { value, old: row.cells[column.name] ?? null })
  const changeFrom = ({ id, key: keyed }: GridRow, { name }: GridColumn, change: Pick<CellChange, 'old' | 'value'>) => {
    if (id !== null) stage(stageCell(store.get(), { id, key: keyed, column: name, ...change }))
  }
  const deleteSelected = () => {
    const chosen = shown.filter(({ reactKey, id }) => selected.has(reactKey) && id !== null)
    stage(
      chosen.reduce(
        (all, { id, key: keyed, cells }) => stageDelete(all, id!, { key: keyed, old: comparable(cells, columns) }),
        store.get(),
      ),
    )
    setSelected(new Set())
  }
  const select = ({ reactKey }: GridRow) => setSelected(toggled(selected, reactKey))
  const hasKey = pages?.[0]?.key !== null
  // Rows are compared with those of the administrator, who sees them all.
  const isLooking = lookText !== '' && as.role === null && hasKey
  const isShown = shown.length > 0 && !isLooking
  const view = {
    columns,
    rows: shown,
    selected,
    canEdit: canEdit && hasKey,
    onOpen: (row: GridRow, column: GridColumn) => setOpened({ row, column }),
  }
  return (
    <>
      <Toolbar label="Rows">
        <FilterBar info={info} fault={fault} />
        <RowButtons
          {...{ info, names, onColumns: () => setColumnsOpen(true) }}
          isAdmin={as.role === null && hasKey && !isLooking}
          canEdit={view.canEdit && !isLooking}
          selected={selected.size}
          onLook={() => setLook(',')}
          onInsert={() => stage(stageInsert(store.get()))}
          importing={<ImportRows {...{ table, as, types }} onInserted={() => void rows.refetch()} />}
          onDelete={deleteSelected}
        />
      </Toolbar>
      {pages && !hasKey && (
        <p className={css['note']}>
          {as.role === null ? 'The table has no primary key' : `The role ${as.role} may not read the whole key`}, so
          rows cannot be told apart: they are read-only, and only the first page is shown.
        </p>
      )}
      {rows.isError && <Failed error={rows.error} onRetry={() => void rows.refetch()} />}
      {rows.isPending && fault === null && <Loading label="Reading rows" queryKey={key} />}
      {pages && shown.length === 0 && !rows.isError && (
        <Empty title={condition === null ? 'The table has no rows' : 'No row matches'}>
          {as.role === null ? 'Insert one, or change the filter.' : `The role ${as.role} gets no row here.`}
        </Empty>
      )}
      {pages && isLooking && (
        <LookAs
          {...{ info, columns }}
          key={lookText}
          look={identityOf(lookText)}
          rows={shown.filter(({ state }) => state !== 'inserted')}
          hasMore={hasNextPage}
          onMore={more}
          onLook={(next) => setLook(identityText(next))}
          onClose={() => setLook('')}
        />
      )}
      {pages && shown.length > 0 && isNarrow && !isLooking && (
        <RecordCards {...view} onMore={more} hasMore={hasNextPage} />
      )}
      {isShown && !isNarrow && (
        <Grid
          {...view}
          order={order}
          hasMore={hasNextPage}
          onMore={more}
          onOrder={reorder}
          onChange={changeCell}
          onSelect={select}
          onUndo={undo}
        />
      )}
      <footer className={css['foot']} hidden={isLooking}>
        <span role="status">{pages ? countText(pages, hasNextPage) : ''}</span>
        <span className={css['hint']}>Enter edits, Space shows the whole cell, Shift+Space selects the row</span>
        {stagedCount > 0 && (
          <>
            <Button look="quiet" onClick={undo} disabled={past.length === 0}>
              Undo
            </Button>
            <Button look="main" onClick={() => setReviewing(true)}>
              Review {plural(stagedCount, 'edit')}
            </Button>
          </>
        )}
      </footer>
      {opened && (
        <CellDialog
          {...{ table, as, types }}
          row={opened.row}
          column={opened.column}
          canEdit={view.canEdit}
          onChange={(value, old) => changeFrom(opened.row, opened.column, { value, old })}
          onClose={() => setOpened(null)}
        />
      )}
      {areColumnsOpen && <ColumnsPanel info={info} names={names} onClose={() => setColumnsOpen(false)} />}
      {isReviewing && (
        <Review
          {...{ table, staged, as, types }}
          rows={shown}
          onSaved={(conflicts) => {
            store.set(conflicts)
            setPast([])
            void rows.refetch()
          }}
          onUnstage={stage}
          onClose={() => setReviewing(false)}
        />
      )}
    </>
  )
}

interface RowButtonsProps {
  readonly info: TableInfo
  readonly names: readonly string[]
  /** Whether the rows can be compared with those of a role. */
  readonly isAdmin: boolean
  readonly canEdit: boolean
  readonly selected: number
  onColumns(): void
  onLook(): void
  onInsert(): void
  /** The button for rows of files. */
  readonly importing: ReactNode
  onDelete(): void
}

const RowButtons = ({ info, names, isAdmin, canEdit, selected, ...props }: RowButtonsProps) => (
  <>
    <Button icon={<Columns3 aria-hidden />} onClick={props.onColumns}>
      {names.length < info.columns.length ? `${names.length} of ${plural(info.columns.length, 'column')}` : 'Columns'}
    </Button>
    {isAdmin && (
      <Button icon={<Eye aria-hidden />} onClick={props.onLook}>
        Look as
      </Button>
    )}
    {canEdit && info.insertable && (
      <>
        <Button icon={<Plus aria-hidden />} onClick={props.onInsert}>
          Insert row
        </Button>
        {props.importing}
      </>
    )}
    {canEdit && selected > 0 && (
      <Button look="danger" icon={<Trash2 aria-hidden />} onClick={props.onDelete}>
        Delete {plural(selected, 'row')}
      </Button>
    )}
  </>
)

/** Cells that a delete is conditioned on: those that were shown whole. */
const comparable = (cells: GridRow['cells'], columns: readonly GridColumn[]): GridRow['cells'] =>
  Object.fromEntries(
    columns.flatMap(({ name, isLong, isKey }) => (isLong || isKey ? [] : [[name, cells[name] ?? null]])),
  )

interface Browsed {
  readonly table: TableName
  readonly as: string | null
  readonly names: readonly string[]
  readonly order: readonly string[]
  readonly condition: Condition | null
  readonly after: string | null
}

const browseArguments = ({ table, as, names, order, condition, after }: Browsed) => ({
  ...{ table, limit: pageRows },
  // A role may read fewer columns than the administrator knows: it gets those that it has.
  ...(as === null && { columns: names }),
  ...(condition !== null && { where: condition }),
  ...(order.length > 0 && { order_by: order }),
  ...(after !== null && { after }),
  ...(after === null && { count: condition === null && as === null ? 'estimate' : { exact_within_ms: 500 } }),
})

function countText(pages: readonly BrowsedRows[], hasMore: boolean): string {
  const shown = pages.reduce((sum, { rows }) => sum + rows.length, 0)
  const count = pages[0]?.count
  if (!hasMore) return plural(shown, 'row')
  if (!count) return `the first ${plural(shown, 'row')}`
  const all = count.is_exact ? formatCount(count.value) : formatEstimate(count.value)
  return `${formatCount(shown)} of ${all} rows`
}
