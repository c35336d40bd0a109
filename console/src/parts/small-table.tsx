import type { ReactNode } from 'react'
import css from './small-table.module.css'

interface SmallTableProps {
  /** The name for screen readers. */
  readonly label: string
  readonly heads: readonly string[]
  /** Whether a last column has buttons. */
  readonly hasActions?: boolean
  /** Whether its styles put the cells of a row below each other where the page is narrow. */
  readonly isFolding?: boolean
  /** Whether each row is a list of its cells where the page is narrow: a cell names its column in `data-head`. */
  readonly hasCards?: boolean
  readonly className?: string | undefined
  /** The rows. */
  readonly children: ReactNode
}

/** A table in the page's flow, with all of its rows. It scrolls where the page is too narrow. */
export const SmallTable = ({
  label,
  heads,
  hasActions = false,
  isFolding = false,
  hasCards = false,
  className = '',
  children,
}: SmallTableProps) => (
  <div
    className={`${css['scroll']} ${isFolding || hasCards ? css['folding'] : ''}`}
    role="region"
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    tabIndex={0}
  >
    <table className={`${css['table']} ${hasCards ? css['cards'] : ''} ${className}`}>
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
      <tbody>{children}</tbody>
    </table>
  </div>
)
