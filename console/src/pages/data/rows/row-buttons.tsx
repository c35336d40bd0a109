import { Columns3, Copy, Eye, Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { plural } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import type { TableInfo } from '../table-info.ts'

interface RowButtonsProps {
  readonly info: TableInfo
  /** Columns that are shown. */
  readonly shown: number
  /** Whether the rows can be compared with those of a role. */
  readonly canLook: boolean
  readonly canEdit: boolean
  readonly selected: number
  /** The buttons for a part of the rows, and for rows of files. */
  readonly reading: ReactNode
  readonly importing: ReactNode
  onColumns(): void
  onLook(): void
  onInsert(): void
  onDuplicate(): void
  onCopy(): void
  onDelete(): void
}

/** Buttons for the rows; for those that are selected, once there are some. */
export const RowButtons = ({ info, shown, canLook, canEdit, selected, ...props }: RowButtonsProps) => (
  <>
    <Button isFolding title="Choose columns" icon={<Columns3 aria-hidden />} onClick={props.onColumns}>
      {shown < info.columns.length ? `${shown} of ${plural(info.columns.length, 'column')}` : 'Columns'}
    </Button>
    {selected === 0 && (
      <>
        {canLook && (
          <Button isFolding title="Look as a role" icon={<Eye aria-hidden />} onClick={props.onLook}>
            Look as
          </Button>
        )}
        {props.reading}
        {canEdit && info.insertable && (
          <>
            <Button isFolding title="Insert row" icon={<Plus aria-hidden />} onClick={props.onInsert}>
              Insert row
            </Button>
            {props.importing}
          </>
        )}
      </>
    )}
    {selected > 0 && (
      <>
        <Button icon={<Copy aria-hidden />} onClick={props.onCopy}>
          Copy {plural(selected, 'row')}
        </Button>
        {canEdit && info.insertable && <Button onClick={props.onDuplicate}>Duplicate {plural(selected, 'row')}</Button>}
        {canEdit && info.deletable && (
          <Button look="danger" icon={<Trash2 aria-hidden />} onClick={props.onDelete}>
            Delete {plural(selected, 'row')}
          </Button>
        )}
      </>
    )}
  </>
)
