import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect } from 'react'
import { useRowHeight } from '../../../base/density.ts'
import { memberOf } from '../../../base/members.ts'
import { CellText } from '../rows/cell.tsx'
import { type GridColumn, type GridRow, unreadRow } from '../rows/model.ts'
import { useWindow } from '../rows/use-window.ts'
import type { Seen } from './look.ts'
import css from './look-as.module.css'

/** Pixels of the place before the cells, where the role's side has its question. */
const leadWidth = 56

interface PaneProps {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  /** Rows before those. */
  readonly offset: number
  readonly hasMore: boolean
  /** The part that a role gets; absent: the administrator's side. */
  readonly seen?: Seen
  readonly role?: string
  onMore(): void
  onEarlier(row: number): void
  onScroll(): void
  onWhy?(row: GridRow): void
}

/** One side: rows that the role does not get are hatched, and columns are struck. */
export function Pane({ ref, label, columns, rows, offset, hasMore, seen, role, ...props }: PaneProps) {
  const { onMore, onEarlier, onScroll, onWhy } = props
  // Rows before the window keep their places, so that nothing moves when they go or come back.
  const total = offset + rows.length
  const rowHeight = useRowHeight()
  const vertical = useVirtualizer({
    ...{ count: total, getScrollElement: () => ref.current, estimateSize: () => rowHeight, overscan: 8 },
  })
  useLayoutEffect(() => vertical.measure(), [vertical, rowHeight])
  const lead = onWhy ? leadWidth : 0
  const horizontal = useVirtualizer({
    ...{ horizontal: true, count: columns.length, getScrollElement: () => ref.current, overscan: 3 },
    estimateSize: (index) => columns[index]!.width,
  })
  const shownRows = vertical.getVirtualItems()
  const shownColumns = horizontal.getVirtualItems()
  const { startIndex: first = 0, endIndex: last = 0 } = vertical.range ?? {}
  useWindow({ first, last, offset, total, hasMore, onMore, onEarlier })
  const width = horizontal.getTotalSize() + lead
  const hasColumn = ({ name }: GridColumn) => !seen || seen.columns.has(name)
  return (
    <section className={css['side']} data-role={role} aria-label={label}>
      <h2 className={css['label']}>{label}</h2>
      <div
        ref={ref}
        role="region"
        className={css['scroll']}
        aria-label={`${label}, scrolls`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        tabIndex={0}
        onScroll={onScroll}
      >
        <div role="table" aria-label={label} aria-rowcount={hasMore ? -1 : total + 1} style={{ width }}>
          <div role="row" aria-rowindex={1} className={css['head']}>
            {onWhy && (
              <div role="columnheader" className={css['cell']} style={{ left: 0, width: lead }}>
                <span className={css['hidden']}>Reason</span>
              </div>
            )}
            {shownColumns.map(({ index, start, size }) => {
              const column = columns[index]!
              return (
                <div
                  key={column.name}
                  role="columnheader"
                  className={`${css['cell']} ${column.isNumeric ? css['end'] : ''}`}
                  style={{ left: start + lead, width: size }}
                >
                  {hasColumn(column) ? (
                    <strong>{column.name}</strong>
                  ) : (
                    <del>
                      {column.name}
                      <span className={css['hidden']}>, which {role} may not read</span>
                    </del>
                  )}
                </div>
              )
            })}
          </div>
          <div role="rowgroup" className={css['rows']} style={{ height: vertical.getTotalSize() }}>
            {shownRows.map(({ index, start }) => {
              const row = rows[index - offset] ?? unreadRow
              const cells = seen ? (row.id === null ? undefined : seen.rows.get(row.id)) : row.cells
              const isKnown = !seen || (row.id !== null && seen.asked.has(row.id))
              return (
                <div
                  key={index}
                  role="row"
                  aria-rowindex={index + 2}
                  className={css['row']}
                  data-hidden={(isKnown && cells === undefined) || undefined}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {onWhy && (
                    <div role="cell" className={css['lead']} style={{ width: lead }}>
                      {isKnown && (
                        <button
                          type="button"
                          className={css['why']}
                          aria-label={`Why ${role} ${cells ? 'gets' : 'does not get'} row ${Object.values(row.key).join(', ')}`}
                          onClick={() => onWhy(row)}
                        >
                          Why
                        </button>
                      )}
                    </div>
                  )}
                  {shownColumns.map((item) => {
                    const column = columns[item.index]!
                    const value = cells && hasColumn(column) ? memberOf(cells, column.name) : undefined
                    const isHidden = isKnown && row.state !== 'unread' && value === undefined
                    return (
                      <div
                        key={column.name}
                        role="cell"
                        className={`${css['cell']} ${column.isNumeric ? css['end'] : ''}`}
                        data-hidden={isHidden || undefined}
                        style={{ left: item.start + lead, width: item.size }}
                      >
                        {isHidden && <span className={css['hidden']}>hidden</span>}
                        {value === undefined ? !isHidden && '…' : <CellText value={value} type={column.type} />}
                      </div>
                    )
                  })}
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </section>
  )
}
