import { PanelRightOpen } from 'lucide-react'
import { useEffect, useState } from 'react'
import { plural } from '../../../base/format.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { PluginCell } from '../../../plugins/plugin-cell.tsx'
import { CellText } from './cell.tsx'
import type { ShownPart } from './grid.tsx'
import type { GridColumn, GridRow } from './model.ts'
import css from './rows.module.css'

/** Cards that are in the page at first. */
const firstCards = 50

/** Columns that a card has at first: with all of 300, its row alone would fill 20 screens. */
const firstColumns = 20

interface RecordCardsProps {
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  readonly hasMore: boolean
  /** Rows before the first one. */
  readonly offset: number
  onMore(): void
  /** Reads the rows from this one, which are before the first one. */
  onEarlier(row: number): void
  onShown(part: ShownPart): void
  /** Shows the related rows of a row. */
  onFollow(row: GridRow): void
  onOpen(row: GridRow, column: GridColumn): void
}

/** The rows as records, where the page is too narrow for a grid. A cell opens for reading and editing. */
export function RecordCards({ columns, rows, hasMore, offset, onShown, onOpen, ...props }: RecordCardsProps) {
  const { onMore, onEarlier, onFollow } = props
  const [shown, setShown] = useState(firstCards)
  const more = () => {
    setShown(shown + firstCards)
    if (shown + firstCards >= rows.length) onMore()
  }
  /** The cards with all columns. */
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const hasWhole = whole.size > 0
  useEffect(() => {
    const lastRow = offset + Math.min(shown, rows.length) - 1
    const names = columns.slice(0, hasWhole ? undefined : firstColumns).map(({ name }) => name)
    onShown({ columns: names, firstRow: offset, lastRow })
  }, [columns, hasWhole, shown, rows.length, offset, onShown])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['cards']} aria-label="Rows" tabIndex={0}>
      {offset > 0 && <Button onClick={() => onEarlier(offset - 1)}>Show rows before these</Button>}
      <ul>
        {rows.slice(0, shown).map((row) => (
          <li key={row.reactKey} className={css['card']} data-state={row.state}>
            {columns.slice(0, whole.has(row.reactKey) ? undefined : firstColumns).map((column) => {
              const value = memberOf(row.cells, column.name)
              return (
                <button key={column.name} type="button" className={css['record']} onClick={() => onOpen(row, column)}>
                  <span className={css['type']}>{column.name}</span>
                  <span className={css['value']}>
                    {value === undefined ? (
                      row.state === 'inserted' ? (
                        'default'
                      ) : (
                        '…'
                      )
                    ) : (
                      <PluginCell column={column} value={value}>
                        <CellText value={value} type={column.type} bytes={row.truncated.get(column.name)} />
                      </PluginCell>
                    )}
                  </span>
                </button>
              )
            })}
            {columns.length > firstColumns && !whole.has(row.reactKey) && (
              <button
                type="button"
                className={css['record']}
                onClick={() => setWhole(new Set([...whole, row.reactKey]))}
              >
                Show {plural(columns.length - firstColumns, 'more column', 'more columns')}
              </button>
            )}
            {row.id !== null && row.state !== 'inserted' && (
              <button type="button" className={css['record']} onClick={() => onFollow(row)}>
                <PanelRightOpen aria-hidden /> Related rows
              </button>
            )}
          </li>
        ))}
      </ul>
      {(hasMore || shown < rows.length) && (
        <Button onClick={more}>Show {plural(firstCards, 'more row', 'more rows')}</Button>
      )}
    </section>
  )
}
