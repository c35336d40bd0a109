import { ArrowRight, PanelRightOpen } from 'lucide-react'
import { memo } from 'react'
import { memberOf } from '../../../base/members.ts'
import { PluginCell } from '../../../plugins/plugin-cell.tsx'
import { CellText } from './cell.tsx'
import { CellEditor } from './cell-editor.tsx'
import css from './grid.module.css'
import type { GridProps } from './grid.tsx'
import type { Place } from './grid-keys.ts'
import type { GridColumn, GridRow } from './model.ts'

/** Pixels of the place before the cells, with the row's tick box and the way to related rows. */
export const leadWidth = 64

/** A column with its place; `isPinned`: it stays at the left. */
export interface PlacedColumn {
  readonly column: GridColumn
  readonly index: number
  readonly start: number
  readonly size: number
  readonly isPinned: boolean
}

/** The style of a cell at its place. */
export const placed = ({ isPinned, start, size }: Omit<PlacedColumn, 'column' | 'index'>) =>
  isPinned ? { left: start, width: size } : { left: start, width: size, position: 'absolute' as const }

interface RowProps {
  readonly row: GridRow
  readonly index: number
  readonly start: number
  readonly columns: readonly PlacedColumn[]
  /** The column of the active cell, where it is in this row. */
  readonly active: number | null
  readonly isEditing: boolean
  readonly grid: Pick<GridProps, 'selected' | 'links' | 'openKey' | 'onSelect' | 'onFollow' | 'onChange' | 'references'>
  onActive(place: Place): void
  onBegin(): void
  onEnd(step: number): void
}

/** A row of the grid. */
export const GridRowView = memo(({ row, index, start, columns, active, isEditing, grid, ...props }: RowProps) => {
  const isSelected = grid.selected.has(row.reactKey)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={css['row']}
      data-state={row.state}
      data-open={(row.id !== null && grid.openKey === row.id) || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="gridcell" aria-colindex={1} className={css['lead']} style={{ width: leadWidth }}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label="Select this row"
          checked={isSelected}
          disabled={row.state === 'unread'}
          onChange={() => grid.onSelect(row)}
        />
        {row.id !== null && row.state !== 'inserted' && (
          <button
            type="button"
            tabIndex={-1}
            className={css['related']}
            title="Related rows, Alt+Right"
            aria-label="Related rows"
            onClick={() => grid.onFollow(row, null)}
          >
            <PanelRightOpen aria-hidden />
          </button>
        )}
      </div>
      {columns.map(({ column, index: at, ...place }) => {
        const isActive = active === at
        const link = grid.links.get(column.name)
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid follows the keys of all its cells.
          <div
            key={column.name}
            role="gridcell"
            aria-colindex={at + 2}
            tabIndex={isActive ? 0 : -1}
            data-active={isActive || undefined}
            data-changed={row.changed.has(column.name) || undefined}
            data-editing={(isActive && isEditing) || undefined}
            data-pinned={place.isPinned || undefined}
            className={`${css['cell']} ${column.isNumeric ? css['end'] : ''}`}
            style={placed(place)}
            onClick={() => props.onActive({ row: index, column: at })}
            onDoubleClick={props.onBegin}
          >
            {isActive && isEditing ? (
              <CellEditor
                column={column}
                value={memberOf(row.cells, column.name)}
                reference={grid.references.get(column.name)}
                onDone={(value, step) => {
                  if (value !== undefined) grid.onChange(row, column, value)
                  props.onEnd(step)
                }}
              />
            ) : (
              <Cell row={row} column={column} />
            )}
            {link &&
              !(isActive && isEditing) &&
              typeof memberOf(row.cells, column.name) === 'string' &&
              row.id !== null && (
                <button
                  type="button"
                  tabIndex={-1}
                  className={css['follow']}
                  title={`${link.title}, Alt+Right`}
                  aria-label={`Related ${link.title}`}
                  onClick={() => grid.onFollow(row, column)}
                >
                  <ArrowRight aria-hidden />
                </button>
              )}
          </div>
        )
      })}
    </div>
  )
})

const Cell = memo(({ row, column }: { readonly row: GridRow; readonly column: GridColumn }) => {
  const value = memberOf(row.cells, column.name)
  const old = memberOf(row.old, column.name)
  if (value === undefined) return <span className={css['none']}>{row.state === 'inserted' ? 'default' : '…'}</span>
  return (
    <>
      {row.changed.has(column.name) && old !== undefined && (
        <del className={css['old']}>
          <CellText value={old} />
        </del>
      )}
      <PluginCell column={column} value={value}>
        <CellText value={value} type={column.type} bytes={row.truncated.get(column.name)} />
      </PluginCell>
    </>
  )
})
