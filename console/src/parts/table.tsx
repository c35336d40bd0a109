import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { useRowHeight } from '../base/density.ts'
import css from './table.module.css'
import { useWidth } from './use-width.ts'

/** A column of a table. */
export interface TableColumn<T> {
  readonly key: string
  readonly title: string
  /** A CSS width in pixels at least, as `120px` or `minmax(160px, 1fr)`. */
  readonly width: string
  readonly align?: 'end'
  /** Left out where the table is too narrow for all columns: the last ones first. */
  readonly isSecondary?: boolean
  readonly head?: ReactNode
  cell(row: T): ReactNode
}

interface TableProps<T> {
  /** The name for screen readers. */
  readonly label: string
  readonly columns: readonly TableColumn<T>[]
  readonly rows: readonly T[]
  rowKey(row: T): string
  isSelected?(row: T): boolean
  /** Opens a row: by a click, or by Enter. */
  onOpen?(row: T): void
  /** Pixels that the content of a row needs; absent: it fits into a row of each density. */
  readonly leastRowHeight?: number
}

/** Pixels of a table with many rows, below which the page scrolls instead. */
const leastHeight = 120

/** The pixels that columns need. */
const leastWidth = (columns: readonly { readonly width: string }[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/[\d.]+(?=px)/.exec(width)?.[0] ?? 0), 0)

/** The columns that fit, or those that are always shown. */
function fitting<T>(columns: readonly TableColumn<T>[], width: number): readonly TableColumn<T>[] {
  const last = columns.findLastIndex(({ isSecondary }) => isSecondary)
  return last < 0 || leastWidth(columns) <= width ? columns : fitting(columns.toSpliced(last, 1), width)
}

/** A list of rows of which only the visible ones are in the page: thousands cost as much as twenty. */
export function Table<T>({ label, columns: all, rows, rowKey, isSelected, onOpen, leastRowHeight = 0 }: TableProps<T>) {
  const rowHeight = Math.max(useRowHeight(), leastRowHeight)
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight])
  const columns = fitting(all, useWidth(scroller))
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') }
  const focusRow = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' && onOpen) onOpen(rows[index]!)
    if (target === undefined || target < 0 || target >= rows.length) return
    event.preventDefault()
    virtual.scrollToIndex(target)
    const focus = () => scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus()
    // The row may be outside of the page until the list has scrolled.
    requestAnimationFrame(() => requestAnimationFrame(focus))
  }
  const enterRows = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.key !== 'ArrowDown' || !onOpen) return
    event.preventDefault()
    const first = virtual.getVirtualItems().find(({ start }) => start >= (virtual.scrollOffset ?? 0))
    scroller.current?.querySelector<HTMLElement>(`[data-index="${first?.index ?? 0}"]`)?.focus()
  }
  return (
    <div
      ref={scroller}
      className={css['scroller']}
      role="region"
      aria-label={`${label}, scrolls`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
      tabIndex={0}
      style={{ minHeight: Math.min(leastHeight, (rows.length + 1) * (rowHeight + 1)) }}
      onKeyDown={enterRows}
    >
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} style={{ minWidth: leastWidth(columns) }}>
        <div role="row" aria-rowindex={1} className={`${css['row']} ${css['head']}`} style={template}>
          {columns.map(({ key, title, head, align }) => (
            <div key={key} role="columnheader" className={cellClass(align)}>
              {head ?? title}
            </div>
          ))}
        </div>
        <div role="rowgroup" className={css['rows']} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!
            return (
              <div
                key={rowKey(row)}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                data-selected={isSelected?.(row) || undefined}
                tabIndex={onOpen ? -1 : undefined}
                className={`${css['row']} ${onOpen ? css['opens'] : ''}`}
                style={{ ...template, height: rowHeight, transform: `translateY(${start}px)` }}
                onKeyDown={(event) => focusRow(event, index)}
                onClick={(event) => {
                  const isControl = (event.target as HTMLElement).closest('a, button, input, label') !== null
                  if (!isControl) onOpen?.(row)
                }}
              >
                {columns.map(({ key, align, cell }) => (
                  <div key={key} role="cell" className={cellClass(align)}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

const cellClass = (align: 'end' | undefined): string =>
  align === 'end' ? `${css['cell']} ${css['end']}` : `${css['cell']}`
