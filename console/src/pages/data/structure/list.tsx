import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../parts/button.tsx'
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

/** A small table in the page's flow. */
export const List = ({ label, heads, rows }: ListProps) => {
  const hasActions = rows.some(({ actions }) => actions)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <div className={css['scroll']} tabIndex={0} role="region" aria-label={label}>
      <table className={css['table']}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span className={css['hidden']}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, actions }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={heads[index]}>{cell}</td>
              ))}
              {hasActions && (
                <td>
                  <div className={css['actions']}>{actions}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
