import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, KeyRound } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import { PluginCell } from '../../../plugins/plugin-cell.tsx'
import { CellText } from './cell.tsx'
import { CellEditor } from './cell-editor.tsx'
import css from './grid.module.css'
import type { GridColumn, GridRow } from './model.ts'

/** Pixels. */
const rowHeight = 32

interface GridProps {
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  readonly order: readonly string[]
  readonly canEdit: boolean
  readonly selected: ReadonlySet<string>
  /** Whether more rows follow. */
  readonly hasMore: boolean
  onMore(): void
  onOrder(column: string, isAdded: boolean): void
  onChange(row: GridRow, column: GridColumn, value: string | null): void
  /** Opens the whole cell. */
  onOpen(row: GridRow, column: GridColumn): void
  onSelect(row: GridRow): void
  onUndo(): void
}

interface Place {
  readonly row: number
  readonly column: number
}

/** The rows as an ARIA grid, of which only the visible cells are in the page. */
export function Grid(props: GridProps) {
  const { columns, rows, canEdit, hasMore, onMore } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const [isEditing, setEditing] = useState(false)
  const hasFocus = useRef(false)
  const vertical = useVirtualizer({
    ...{ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight },
    ...{ overscan: 8, scrollPaddingStart: rowHeight },
  })
  const horizontal = useVirtualizer({
    ...{ horizontal: true, count: columns.length, getScrollElement: () => scroller.current, overscan: 3 },
    estimateSize: (index) => columns[index]!.width,
  })
  const shownRows = vertical.getVirtualItems()
  const last = shownRows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= rows.length - 20) onMore()
  }, [last, rows.length, hasMore, onMore])
  useEffect(() => {
    if (!hasFocus.current || isEditing) return
    vertical.scrollToIndex(active.row)
    horizontal.scrollToIndex(active.column)
    const focus = () => scroller.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true })
    // The cell may be outside of the page until the grid has scrolled.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(focus)
    })
    return () => cancelAnimationFrame(frame)
  }, [active, isEditing, vertical, horizontal])
  const move = (row: number, column: number) =>
    setActive({
      row: Math.max(0, Math.min(rows.length - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    })
  const canChange = (row: GridRow, column: GridColumn) =>
    canEdit &&
    row.state !== 'deleted' &&
    (row.state === 'inserted' ? column.isInsertable : column.isUpdatable && row.id !== null)
  const begin = () => {
    const row = rows[active.row]
    const column = columns[active.column]
    if (!row || !column) return
    // The grid never has more than a part of a long value.
    if (!canChange(row, column) || column.isLong || row.truncated.has(column.name)) props.onOpen(row, column)
    else setEditing(true)
  }
  const follow = (event: KeyboardEvent) => {
    // The headings have keys of their own.
    if (isEditing || !(event.target as Element).closest('[role=gridcell]')) return
    const { row, column } = active
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2)
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? rows.length - 1 : row, columns.length - 1],
    }
    const target = moves[event.key]
    const shown = rows[row]
    const at = columns[column]
    if (target) move(...target)
    else if (event.key === ' ' && event.shiftKey && shown) props.onSelect(shown)
    else if (event.key === ' ' && shown && at) props.onOpen(shown, at)
    else if (event.key === 'Enter' || event.key === 'F2' || (event.key === 'e' && !event.ctrlKey)) begin()
    else if (event.key.toLowerCase() === 'z' && event.ctrlKey) props.onUndo()
    else return
    event.preventDefault()
  }
  const end = (step: number) => {
    setEditing(false)
    hasFocus.current = true
    move(active.row + step, active.column)
  }
  const shownColumns = horizontal.getVirtualItems()
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Rows"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-colcount={columns.length}
      className={css['grid']}
      onKeyDown={follow}
      onFocus={() => {
        hasFocus.current = true
      }}
      onBlur={(event) => {
        hasFocus.current = event.currentTarget.contains(event.relatedTarget)
      }}
    >
      <div role="row" aria-rowindex={1} className={css['head']} style={{ width: horizontal.getTotalSize() }}>
        {shownColumns.map(({ index, start, size }) => (
          <Heading
            key={columns[index]!.name}
            column={columns[index]!}
            index={index}
            place={{ start, size }}
            grid={props}
          />
        ))}
      </div>
      <div
        role="rowgroup"
        className={css['body']}
        style={{ width: horizontal.getTotalSize(), height: vertical.getTotalSize() }}
      >
        {shownRows.map(({ index, start }) => {
          const row = rows[index]!
          return (
            <div
              key={row.reactKey}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={props.selected.has(row.reactKey)}
              className={css['row']}
              data-state={row.state}
              style={{ transform: `translateY(${start}px)` }}
            >
              {shownColumns.map((item) => {
                const column = columns[item.index]!
                const isActive = active.row === index && active.column === item.index
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid follows the keys of all its cells.
                  <div
                    key={column.name}
                    role="gridcell"
                    aria-colindex={item.index + 1}
                    tabIndex={isActive ? 0 : -1}
                    data-active={isActive || undefined}
                    data-changed={row.changed.has(column.name) || undefined}
                    data-editing={(isActive && isEditing) || undefined}
                    className={`${css['cell']} ${column.isNumeric ? css['end'] : ''}`}
                    style={{ left: item.start, width: item.size }}
                    onClick={() => setActive({ row: index, column: item.index })}
                    onDoubleClick={begin}
                  >
                    {isActive && isEditing ? (
                      <CellEditor
                        column={column}
                        value={row.cells[column.name]}
                        onDone={(value, step) => {
                          if (value !== undefined) props.onChange(row, column, value)
                          end(step)
                        }}
                      />
                    ) : (
                      <Cell row={row} column={column} />
                    )}
                  </div>
                )
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const Cell = memo(({ row, column }: { readonly row: GridRow; readonly column: GridColumn }) => {
  const value = row.cells[column.name]
  if (value === undefined) return <span className={css['none']}>default</span>
  return (
    <>
      {row.changed.has(column.name) && row.old[column.name] !== undefined && (
        <del className={css['old']}>
          <CellText value={row.old[column.name]!} />
        </del>
      )}
      <PluginCell column={column} value={value}>
        <CellText value={value} bytes={row.truncated.get(column.name)} />
      </PluginCell>
    </>
  )
})

interface HeadingProps {
  readonly column: GridColumn
  readonly index: number
  readonly place: { readonly start: number; readonly size: number }
  readonly grid: Pick<GridProps, 'order' | 'onOrder'>
}

function Heading({ column: { name, type, isKey, isNumeric }, index, place, grid }: HeadingProps) {
  const direction = grid.order.includes(name) ? 'ascending' : grid.order.includes(`-${name}`) ? 'descending' : 'none'
  return (
    <div
      role="columnheader"
      aria-colindex={index + 1}
      aria-sort={direction}
      className={css['heading']}
      style={{ left: place.start, width: place.size }}
    >
      <button
        type="button"
        className={`${css['sort']} ${isNumeric ? css['end'] : ''}`}
        title={`${name}, ${type}: order by it; with Shift beside the order so far`}
        onClick={(event) => grid.onOrder(name, event.shiftKey)}
      >
        {isKey && <KeyRound aria-label="key" />}
        <span className={css['name']}>{name}</span>
        <span className={css['type']}>{type}</span>
        {direction === 'ascending' && <ArrowUp aria-hidden />}
        {direction === 'descending' && <ArrowDown aria-hidden />}
      </button>
    </div>
  )
}
