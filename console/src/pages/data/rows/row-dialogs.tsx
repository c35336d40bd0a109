import { CellDialog } from './cell-dialog.tsx'
import { ColumnsPanel } from './columns-panel.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import type { RowEdits } from './edits.ts'
import type { GridColumn, GridRow } from './model.ts'
import { OrderDialog } from './order-dialog.tsx'
import { Review } from './review.tsx'
import type { RowsView } from './view.ts'

/** The dialog that is open over the rows. */
export type Opened =
  | { readonly kind: 'cell'; readonly row: GridRow; readonly column: GridColumn }
  | { readonly kind: 'order'; readonly order: readonly string[] }
  | { readonly kind: 'review' | 'columns' | 'delete' }

interface RowDialogsProps {
  readonly opened: Opened
  readonly view: RowsView
  readonly edits: RowEdits
  /** Rows of the table, as PostgreSQL estimates. */
  readonly estimatedRows: number
  onClose(): void
}

/** A cell, the columns, a slow order, a deletion, or the review of all edits. */
export function RowDialogs({ opened, view, edits, estimatedRows, onClose }: RowDialogsProps) {
  const { info, as, names, pinned, types, canEdit, condition, columns, staging } = view
  const table = info.name
  switch (opened.kind) {
    case 'cell':
      return (
        <CellDialog
          {...{ table, as, types, canEdit, onClose }}
          row={opened.row}
          column={opened.column}
          reference={view.references.get(opened.column.name)}
          onChange={(value, old) => edits.change(opened.row, opened.column, value, old)}
        />
      )
    case 'columns':
      return <ColumnsPanel {...{ info, names, pinned, onClose }} />
    case 'order':
      return (
        <OrderDialog
          {...{ info, estimatedRows, onClose }}
          order={opened.order}
          onOrder={() => {
            view.reorder(opened.order)
            onClose()
          }}
        />
      )
    case 'delete':
      return (
        <DeleteDialog
          {...{ info, as, columns, condition, onClose }}
          rows={edits.chosen}
          hasOthers={view.hasMore && edits.chosen.length === view.shown.length}
          onStage={() => {
            edits.remove()
            onClose()
          }}
          onDeleted={() => {
            edits.clear()
            onClose()
            void view.rows.refetch()
          }}
        />
      )
    case 'review':
      return (
        <Review
          {...{ table, as, types, onClose }}
          staged={staging.staged}
          rows={view.shown}
          onSaved={(conflicts) => {
            staging.restart(conflicts)
            void view.rows.refetch()
          }}
          onUnstage={staging.stage}
        />
      )
  }
}
