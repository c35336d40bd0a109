import { useState } from 'react'
import { formatEstimate } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { tableLabel } from '../../../server/names.ts'
import { sqlName, sqlTable } from '../sql-names.ts'
import type { TableInfo } from '../table-info.ts'

/** Rows above which an order without an index is felt. */
const feltRows = 100_000

/** Whether PostgreSQL would sort the whole table for an order, which takes long. */
export const isSlowOrder = (order: readonly string[], { indexes }: TableInfo, estimatedRows: number): boolean => {
  const first = order[0]?.replace(/^-/, '')
  return (
    first !== undefined &&
    estimatedRows >= feltRows &&
    !indexes.some(({ is_valid, columns }) => is_valid && columns[0] === first)
  )
}

interface OrderDialogProps {
  readonly info: TableInfo
  readonly order: readonly string[]
  readonly estimatedRows: number
  onOrder(): void
  onClose(): void
}

/** Warns of an order that no index serves, before it is asked for. */
export function OrderDialog({ info, order, estimatedRows, onOrder, onClose }: OrderDialogProps) {
  const [isShown, setShown] = useState(false)
  const first = order[0]?.replace(/^-/, '') ?? ''
  const columns = order.map((each) => sqlName(each.replace(/^-/, '')) + (each.startsWith('-') ? ' desc' : ''))
  const sql = `create index concurrently on ${sqlTable(info.name)} (${columns.join(', ')});`
  return (
    <Dialog
      isOpen
      title={`No index serves the order by ${first}`}
      description={`PostgreSQL reads and sorts ${formatEstimate(estimatedRows)} rows of ${tableLabel(info.name)} for each page.`}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide the index' : 'Show an index'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" onClick={onOrder}>
            Order by {first} anyway
          </Button>
        </>
      }
    >
      {isShown && <Code label="An index for this order" language="sql" value={sql} />}
    </Dialog>
  )
}
