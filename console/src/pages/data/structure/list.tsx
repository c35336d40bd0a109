import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../parts/button.tsx'
import { SmallTable } from '../../../parts/small-table.tsx'
import css from './structure.module.css'

/** A row of a list, with its buttons. */
export interface ListRow {
  readonly key: string
  readonly cells: readonly ReactNode[]
  readonly actions?: ReactNode
}

interface ListProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly rows: readonly ListRow[]
}

/** A small table of rows with buttons. */
export const List = ({ label, heads, rows }: ListProps) => {
  const hasActions = rows.some(({ actions }) => actions)
  return (
    <SmallTable hasCards label={label} heads={heads} hasActions={hasActions} className={css['table']}>
      {rows.map(({ key, cells, actions }) => (
        <tr key={key}>
          {cells.map((cell, index) => (
            <td key={heads[index]} data-head={heads[index]}>
              {cell}
            </td>
          ))}
          {hasActions && (
            <td>
              <div className={css['actions']}>{actions}</div>
            </td>
          )}
        </tr>
      ))}
    </SmallTable>
  )
}

/** The buttons of something that can be changed and dropped. */
export const RowActions = ({
  name,
  onChange,
  onDrop,
}: {
  readonly name: string
  onChange?(): void
  onDrop(): void
}) => (
  <>
    {onChange && <IconButton icon={<Pencil aria-hidden />} label={`Change ${name}`} onClick={onChange} />}
    <IconButton icon={<Trash2 aria-hidden />} label={`Drop ${name}`} onClick={onDrop} />
  </>
)
