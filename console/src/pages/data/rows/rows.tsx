import { useState } from 'react'
import { plural } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Toolbar } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { identityOf, identityText } from '../look-as/look.ts'
import { LookAs } from '../look-as/look-as.tsx'
import type { TableInfo } from '../table-info.ts'
import { firstOrdered } from './address.ts'
import { countText, isCounted } from './browse.ts'
import { type RowEdits, useRowEdits } from './edits.ts'
import { Export } from './export.tsx'
import { FilterBar, FilterChips } from './filter-bar.tsx'
import { Grid } from './grid.tsx'
import { ImportRows } from './import-dialog.tsx'
import { Jump } from './jump.tsx'
import type { GridColumn, GridRow } from './model.ts'
import { isSlowOrder } from './order-dialog.tsx'
import { RecordCards } from './record-cards.tsx'
import { RelatedPane } from './related/pane.tsx'
import { pathText } from './related/path.ts'
import { RowButtons } from './row-buttons.tsx'
import { type Opened, RowDialogs } from './row-dialogs.tsx'
import css from './rows.module.css'
import { rowId } from './staged.ts'
import { useSaveKey } from './staging.ts'
import { useIsNarrow } from './use-narrow.ts'
import { type RowsView, useRowsView } from './view.ts'

interface RowsProps {
  readonly info: TableInfo
  readonly isTracked: boolean
  /** Rows of the table, as PostgreSQL estimates. */
  readonly estimatedRows: number
}

/** The rows of a table, read as the chosen identity. */
export default function Rows({ isTracked, ...props }: RowsProps) {
  if (isTracked) return <TrackedRows {...props} />
  return (
    <Empty title="This table is not tracked">
      Rows can be read once the table is tracked, which also adds it to the GraphQL API. Track it in the list of tables.
    </Empty>
  )
}

interface PartProps {
  readonly view: RowsView
  readonly edits: RowEdits
  onOpen(opened: Opened): void
}

function TrackedRows({ info, estimatedRows }: Omit<RowsProps, 'isTracked'>) {
  const view = useRowsView(info)
  const edits = useRowEdits(view)
  const isNarrow = useIsNarrow()
  const [opened, setOpened] = useState<Opened | null>(null)
  const { path, setRelated } = view
  useSaveKey(view.staging.count > 0, () => setOpened({ kind: 'review' }))
  const pane = path && (
    <RelatedPane
      key={path.key.join()}
      {...{ info, path }}
      onPath={(next) => setRelated(pathText(next))}
      onClose={() => setRelated('')}
    />
  )
  // Where the page is narrow, related rows are a page of their own.
  if (pane && isNarrow) return pane
  const parts = { view, edits, onOpen: setOpened }
  return (
    <div className={css['sides']}>
      <div className={css['main']}>
        <Tools {...parts} />
        <FilterChips filter={view.filter} types={view.types} />
        <Content {...parts} isNarrow={isNarrow} estimatedRows={estimatedRows} />
        {!view.isLooking && <Foot {...parts} />}
      </div>
      {pane}
      {opened && <RowDialogs {...{ opened, view, edits, estimatedRows }} onClose={() => setOpened(null)} />}
    </div>
  )
}

/** The filter, and the buttons for all or the selected rows. */
function Tools({ view, edits, onOpen }: PartProps) {
  const { info, as, isLooking, hasKey, names, order, condition, types, from, change } = view
  const table = info.name
  const first = firstOrdered(order, info)
  const reading = (
    <>
      {first !== null && <Jump column={first} from={from} onJump={(value) => change({ from: value })} />}
      <Export {...{ table, as, names, order, condition }} />
    </>
  )
  return (
    <Toolbar label="Rows">
      <FilterBar {...{ info, types }} fault={view.fault} filter={view.filter} />
      <RowButtons
        info={info}
        shown={names.length}
        onColumns={() => onOpen({ kind: 'columns' })}
        canLook={as.role === null && hasKey && !isLooking}
        canEdit={view.canEdit && !isLooking}
        selected={isLooking ? 0 : edits.chosen.length}
        onLook={() => view.setLook(',')}
        onInsert={edits.insert}
        onDuplicate={() => void edits.duplicate()}
        onCopy={() => void edits.copy()}
        onDelete={() => onOpen({ kind: 'delete' })}
        reading={!isLooking && reading}
        importing={<ImportRows {...{ table, as, types }} onInserted={() => void view.rows.refetch()} />}
      />
    </Toolbar>
  )
}

interface ContentProps extends PartProps {
  readonly isNarrow: boolean
  readonly estimatedRows: number
}

/** The rows, or the reason why nothing is shown. */
function Content({ view, edits, isNarrow, estimatedRows, onOpen }: ContentProps) {
  const { info, as, rows, pages, shown, columns, order, isLooking, hasMore, more: onMore, onShown } = view
  const { offset, earlier: onEarlier, earlierError } = view
  const first = pages?.[0]
  const orderBy = (name: string, isAdded: boolean) => {
    const next = ordered(order, name, isAdded)
    // The other direction costs as much as this one.
    const isNew = next[0]?.replace(/^-/, '') !== order[0]?.replace(/^-/, '')
    if (isNew && isSlowOrder(next, info, estimatedRows)) onOpen({ kind: 'order', order: next })
    else view.reorder(next)
  }
  const openCell = (row: GridRow, column: GridColumn) => onOpen({ kind: 'cell', row, column })
  const openKey = view.path && rowId(Object.fromEntries(view.path.key.map((cell, index) => [index, cell])))
  const isShown = shown.length > 0 && !isLooking
  return (
    <>
      {first && !view.hasKey && (
        <p className={css['note']}>
          {as.role === null ? 'The table has no primary key' : `The role ${as.role} may not read the whole key`}, so
          rows cannot be told apart: they are read-only, and only the first page is shown.
        </p>
      )}
      {edits.error !== null && <Failed error={edits.error} />}
      {rows.isError && <Failed error={rows.error} onRetry={() => void rows.refetch()} />}
      {earlierError !== null && <Failed error={earlierError} onRetry={() => void rows.refetch()} />}
      {rows.isPending && view.fault === null && <Loading label="Reading rows" queryKey={view.key} />}
      {first && shown.length === 0 && !rows.isError && (
        <Empty title={view.condition === null ? 'The table has no rows' : 'No row matches'}>
          {as.role === null ? 'Insert one, or change the filter.' : `The role ${as.role} gets no row here.`}
        </Empty>
      )}
      {first && isLooking && (
        <LookAs
          {...{ info, offset, hasMore, onMore, onEarlier }}
          // Columns that are not read yet have nothing to compare.
          columns={columns.filter(({ name }) => first.columns.some((each) => each.name === name))}
          key={view.lookText}
          look={identityOf(view.lookText)}
          rows={shown.filter(({ state }) => state !== 'inserted')}
          onLook={(next) => view.setLook(identityText(next))}
          onClose={() => view.setLook('')}
        />
      )}
      {isShown && isNarrow && (
        <RecordCards
          {...{ columns, hasMore, offset, onMore, onEarlier, onShown, rows: shown, onOpen: openCell }}
          onFollow={(row) => view.follow(row, null)}
        />
      )}
      {isShown && !isNarrow && (
        <Grid
          {...{ columns, order, hasMore, offset, onMore, onEarlier, onShown, openKey, rows: shown }}
          pinned={view.pinned.length}
          selected={edits.selected}
          canEdit={view.canEdit}
          links={view.links}
          references={view.references}
          onOrder={orderBy}
          onOpen={openCell}
          onChange={edits.change}
          onSelect={edits.toggle}
          onSelectAll={edits.toggleAll}
          onFollow={view.follow}
          onLeave={() => view.setRelated('')}
          onCopy={edits.copied}
          onPaste={edits.paste}
          onUndo={view.staging.undo}
        />
      )}
    </>
  )
}

/** The order after a click on a column: ascending, descending, none. */
function ordered(order: readonly string[], name: string, isAdded: boolean): readonly string[] {
  const others = isAdded ? order.filter((each) => each !== name && each !== `-${name}`) : []
  return [...others, ...(order.includes(name) ? [`-${name}`] : order.includes(`-${name}`) ? [] : [name])]
}

/** How many rows there are, and the edits that are not saved. */
function Foot({ view, edits, onOpen }: PartProps) {
  const { pages, hasMore, exact, offset, staging } = view
  return (
    <footer className={css['foot']}>
      <span role="status">{pages ? countText(pages, { hasMore, offset, exact: exact.count }) : ''}</span>
      {pages && exact.count === null && !isCounted(pages, hasMore) && (
        <Button look="quiet" isBusy={exact.isBusy} onClick={() => void exact.ask().catch(edits.setError)}>
          Count exactly
        </Button>
      )}
      <span className={css['hint']}>
        Enter edits, Space shows all of a cell, Shift+Space selects, Alt+Right shows related rows
      </span>
      {staging.count > 0 && (
        <>
          <Button look="quiet" onClick={staging.undo} disabled={!staging.hasPast}>
            Undo
          </Button>
          <Button look="main" onClick={() => onOpen({ kind: 'review' })}>
            Review {plural(staging.count, 'edit')}
          </Button>
        </>
      )}
    </footer>
  )
}
