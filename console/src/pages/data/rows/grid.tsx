import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useRowHeight } from '../../../base/density.ts'
import css from './grid.module.css'
import { GridHead } from './grid-head.tsx'
import { type Place, placeAfter } from './grid-keys.ts'
import { GridRowView, leadWidth, type PlacedColumn } from './grid-row.tsx'
import { type GridColumn, type GridRow, unreadRow } from './model.ts'
import type { Reference } from './references.ts'
import type { Link } from './related/links.ts'
import { useWindow } from './use-window.ts'

/** The part of the grid that is visible. */
export interface ShownPart {
  readonly columns: readonly string[]
  readonly firstRow: number
  readonly lastRow: number
}

/** The properties of the grid. */
export interface GridProps {
  readonly columns: readonly GridColumn[]
  /** How many of the columns, which come first, stay at the left. */
  readonly pinned: number
  /** New rows, then those of the window. */
  readonly rows: readonly GridRow[]
  /** Rows before the window. */
  readonly offset: number
  readonly order: readonly string[]
  readonly canEdit: boolean
  readonly selected: ReadonlySet<string>
  /** Whether more rows follow. */
  readonly hasMore: boolean
  /** Ways to related rows by the column that they begin at. */
  readonly links: ReadonlyMap<string, Link>
  /** Columns whose values are chosen among the rows of another table. */
  readonly references: ReadonlyMap<string, Reference>
  /** The row whose related rows are shown. */
  readonly openKey: string | null
  onMore(): void
  /** Reads the rows from this one, which are before the window. */
  onEarlier(row: number): void
  onShown(part: ShownPart): void
  onOrder(column: string, isAdded: boolean): void
  onChange(row: GridRow, column: GridColumn, value: string | null): void
  /** Opens the whole cell. */
  onOpen(row: GridRow, column: GridColumn): void
  onSelect(row: GridRow): void
  onSelectAll(): void
  /** Shows the related rows of a row; null: none of its columns leads the way. */
  onFollow(row: GridRow, column: GridColumn | null): void
  /** Escape: closes the related rows. */
  onLeave(): void
  onCopy(row: GridRow, column: GridColumn): string
  onPaste(text: string, row: GridRow, column: GridColumn): void
  onUndo(): void
}

/** The rows as an ARIA grid, of which only the visible cells are in the page. */
export function Grid(props: GridProps) {
  const { columns, pinned, rows, offset, canEdit, hasMore, onMore, onEarlier, onShown } = props
  // Rows before the window keep their places, so that nothing moves when they go or come back.
  const total = rows.length + offset
  const added = useMemo(() => rows.filter(({ state }) => state === 'inserted').length, [rows])
  const rowAt = (index: number): GridRow | undefined =>
    index < added ? rows[index] : index < added + offset ? undefined : rows[index - offset]
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const [isEditing, setEditing] = useState(false)
  const hasFocus = useRef(false)
  const stays = useMemo(() => pinnedPlaces(columns.slice(0, pinned)), [columns, pinned])
  const paddingStart = stays.reduce((sum, { size }) => sum + size, leadWidth)
  const rowHeight = useRowHeight()
  const vertical = useVirtualizer({
    ...{ count: total, getScrollElement: () => scroller.current, estimateSize: () => rowHeight },
    ...{ overscan: 8, scrollPaddingStart: rowHeight, rangeExtractor: withIndex(active.row) },
  })
  useLayoutEffect(() => vertical.measure(), [vertical, rowHeight])
  const horizontal = useVirtualizer({
    ...{ horizontal: true, count: columns.length - stays.length, getScrollElement: () => scroller.current },
    ...{ overscan: 3, paddingStart, scrollPaddingStart: paddingStart },
    rangeExtractor: withIndex(active.column - stays.length),
    estimateSize: (index) => columns[index + stays.length]!.width,
  })
  const shownRows = vertical.getVirtualItems()
  const shownItems = horizontal.getVirtualItems()
  const shownColumns = useMemo(
    () => [
      ...stays,
      ...shownItems.map<PlacedColumn>(({ index, start, size }) => ({
        ...{ column: columns[index + stays.length]!, index: index + stays.length, start, size, isPinned: false },
      })),
    ],
    [stays, shownItems, columns],
  )
  const first = vertical.range?.startIndex ?? 0
  const last = vertical.range?.endIndex ?? 0
  useWindow({
    ...{ first: first - added, last: last - added, total: total - added },
    offset,
    hasMore,
    onMore,
    onEarlier,
  })
  const shownNames = shownColumns.map(({ column }) => column.name).join('\n')
  useEffect(
    () => onShown({ columns: shownNames.split('\n'), firstRow: first - added, lastRow: last - added }),
    [shownNames, first, last, added, onShown],
  )
  useEffect(() => {
    if (!hasFocus.current || isEditing) return
    vertical.scrollToIndex(active.row)
    if (active.column >= stays.length) horizontal.scrollToIndex(active.column - stays.length)
    const focus = () => {
      // The focus may have gone elsewhere meanwhile.
      const focused = document.activeElement
      if (focused !== document.body && !scroller.current?.contains(focused)) return
      scroller.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true })
    }
    // The cell may be outside of the page until the grid has scrolled.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(focus)
    })
    return () => cancelAnimationFrame(frame)
  }, [active, isEditing, vertical, horizontal, stays.length])
  const canChange = (row: GridRow, column: GridColumn) =>
    canEdit &&
    row.state !== 'deleted' &&
    (row.state === 'inserted'
      ? column.isInsertable
      : column.isUpdatable && row.id !== null && Object.hasOwn(row.cells, column.name))
  const shown = rowAt(active.row)
  const at = columns[active.column]
  const begin = () => {
    if (!shown || !at) return
    // The grid never has more than a part of a long value.
    if (!canChange(shown, at) || at.isLong || shown.truncated.has(at.name)) props.onOpen(shown, at)
    else setEditing(true)
  }
  const end = (step: number) => {
    setEditing(false)
    hasFocus.current = true
    setActive({ ...active, row: Math.max(0, Math.min(total - 1, active.row + step)) })
  }
  // While the grid scrolls, a row that stays in view is not made again: its properties stay the same.
  const latest = useRef({ begin, end })
  latest.current = { begin, end }
  const onBegin = useCallback(() => latest.current.begin(), [])
  const onEnd = useCallback((step: number) => latest.current.end(step), [])
  const follow = (event: KeyboardEvent) => {
    // The headings have keys of their own.
    if (isEditing || !(event.target as Element).closest('[role=gridcell]')) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2)
    const target = placeAfter(event, active, { rows: total, columns: columns.length, page })
    // A button or a tick box of the grid keeps its own keys.
    const isOfCell = (event.target as HTMLElement).matches('[role=gridcell]')
    if (target) setActive(target)
    else if (event.altKey && event.key === 'ArrowRight' && shown && at) props.onFollow(shown, at)
    else if (event.key === 'Escape' && props.openKey !== null) props.onLeave()
    else if (!isOfCell) return
    else if (event.key === ' ' && event.shiftKey && shown) props.onSelect(shown)
    else if (event.key === ' ' && shown && at) props.onOpen(shown, at)
    else if (event.key === 'Enter' || event.key === 'F2' || (event.key === 'e' && !event.ctrlKey)) begin()
    else if (event.key.toLowerCase() === 'z' && event.ctrlKey) props.onUndo()
    else return
    event.preventDefault()
  }
  const copy = (event: ClipboardEvent) => {
    if (isEditing || !shown || !at || !window.getSelection()?.isCollapsed) return
    event.clipboardData.setData('text/plain', props.onCopy(shown, at))
    event.preventDefault()
  }
  const paste = (event: ClipboardEvent) => {
    if (isEditing || !canEdit || !shown || !at) return
    props.onPaste(event.clipboardData.getData('text/plain'), shown, at)
    event.preventDefault()
  }
  const width = horizontal.getTotalSize()
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Rows"
      aria-rowcount={hasMore ? -1 : total + 1}
      aria-colcount={columns.length + 1}
      className={css['grid']}
      onKeyDown={follow}
      onCopy={copy}
      onPaste={paste}
      onFocus={() => {
        hasFocus.current = true
      }}
      onBlur={(event) => {
        hasFocus.current = event.currentTarget.contains(event.relatedTarget)
      }}
    >
      <GridHead columns={shownColumns} width={width} grid={props} />
      <div role="rowgroup" className={css['body']} style={{ width, height: vertical.getTotalSize() }}>
        {shownRows.map(({ index, start }) => (
          <GridRowView
            // The active row keeps the focus, also while it is not read.
            key={index}
            {...{ row: rowAt(index) ?? unreadRow, index, start, columns: shownColumns, grid: props }}
            isEditing={isEditing && active.row === index}
            active={active.row === index ? active.column : null}
            onActive={setActive}
            onBegin={onBegin}
            onEnd={onEnd}
          />
        ))}
      </div>
    </div>
  )
}

/** The visible items and the active one, which keeps the focus wherever the grid scrolls. */
const withIndex =
  (index: number) =>
  (range: Range): number[] => {
    const visible = defaultRangeExtractor(range)
    return index < 0 || index >= range.count || visible.includes(index) ? visible : [...visible, index]
  }

function pinnedPlaces(columns: readonly GridColumn[]): readonly PlacedColumn[] {
  let start = leadWidth
  return columns.map((column, index) => {
    const place = { column, index, start, size: column.width, isPinned: true }
    start += column.width
    return place
  })
}
