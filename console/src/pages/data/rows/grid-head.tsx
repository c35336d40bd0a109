import { ArrowDown, ArrowUp, KeyRound, Pin } from 'lucide-react'
import css from './grid.module.css'
import type { GridProps } from './grid.tsx'
import { leadWidth, type PlacedColumn, placed } from './grid-row.tsx'

interface HeadProps {
  readonly columns: readonly PlacedColumn[]
  readonly width: number
  readonly grid: Pick<GridProps, 'order' | 'onOrder' | 'rows' | 'selected' | 'onSelectAll'>
}

/** The names of the columns, by which the rows are ordered. */
export function GridHead({ columns, width, grid }: HeadProps) {
  const { rows, selected } = grid
  return (
    <div role="row" aria-rowindex={1} className={css['head']} style={{ width }}>
      <div role="columnheader" aria-colindex={1} className={css['lead']} style={{ width: leadWidth }}>
        <input
          type="checkbox"
          aria-label="Select all rows that are shown"
          checked={rows.length > 0 && rows.every(({ reactKey }) => selected.has(reactKey))}
          onChange={grid.onSelectAll}
        />
      </div>
      {columns.map((each) => (
        <Heading key={each.column.name} placing={each} grid={grid} />
      ))}
    </div>
  )
}

interface HeadingProps {
  readonly placing: PlacedColumn
  readonly grid: Pick<GridProps, 'order' | 'onOrder'>
}

function Heading({ placing: { column, index, ...place }, grid }: HeadingProps) {
  const { name, type, isKey, isNumeric } = column
  const direction = grid.order.includes(name) ? 'ascending' : grid.order.includes(`-${name}`) ? 'descending' : 'none'
  return (
    <div
      role="columnheader"
      aria-colindex={index + 2}
      aria-sort={direction}
      className={css['heading']}
      data-pinned={place.isPinned || undefined}
      style={placed(place)}
    >
      <button
        type="button"
        className={`${css['sort']} ${isNumeric ? css['end'] : ''}`}
        title={`${name}, ${type}: order by it; with Shift beside the order so far`}
        onClick={(event) => grid.onOrder(name, event.shiftKey)}
      >
        {isKey && <KeyRound aria-label="key" />}
        {place.isPinned && <Pin aria-label="pinned" />}
        <span className={css['name']}>{name}</span>
        <span className={css['type']}>{type}</span>
        {direction === 'ascending' && <ArrowUp aria-hidden />}
        {direction === 'descending' && <ArrowDown aria-hidden />}
      </button>
    </div>
  )
}
