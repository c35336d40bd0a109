// Cells of the clipboard: rows as texts for spreadsheets, and back.

import { readCsv } from '../../../base/csv.ts'
import { memberOf } from '../../../base/members.ts'
import type { GridColumn, GridRow } from './model.ts'
import { type Staged, stageCell, stageInsert } from './staged.ts'

const quoted = (cell: string): string => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Rows as a spreadsheet takes them: cells between tabs, with a line of names. NULL is an empty cell. */
export const rowsText = (rows: readonly GridRow[], columns: readonly GridColumn[]): string =>
  [
    columns.map(({ name }) => quoted(name)),
    ...rows.map(({ cells }) => columns.map(({ name }) => quoted(memberOf(cells, name) ?? ''))),
  ]
    .map((line) => line.join('\t'))
    .join('\n')

/** The cells of a text: lines of cells between tabs, or one cell. */
function cellsIn(text: string): readonly (readonly (string | null)[])[] {
  const lines = text.replace(/\r?\n$/, '')
  if (!/[\t\n]/.test(lines)) return [[lines]]
  // A tab in each line keeps commas in cells from being read as separators.
  return readCsv(lines.includes('\t') ? lines : lines.replaceAll(/^|\n/g, '$&\t')).map((line) =>
    lines.includes('\t') ? line : line.slice(1),
  )
}

interface Pasted {
  readonly staged: Staged
  /** Cells that were taken. */
  readonly cells: number
  /** Cells that nothing can be written to. */
  readonly passed: number
}

interface Target {
  readonly rows: readonly GridRow[]
  readonly columns: readonly GridColumn[]
  /** The place of the first cell. */
  readonly row: number
  readonly column: number
  /** Whether lines after the last row become new rows. */
  readonly canInsert: boolean
}

/** A cell of which the grid has a part cannot be saved: nothing tells whether somebody else changed the rest. */
const canWrite = (row: GridRow | undefined, column: GridColumn): boolean =>
  row === undefined || row.state === 'inserted'
    ? column.isInsertable
    : !row.truncated.has(column.name) &&
      column.isUpdatable &&
      row.id !== null &&
      row.state !== 'deleted' &&
      Object.hasOwn(row.cells, column.name)

/** Stages cells of the clipboard from a place on, to the right and down. Throws `CsvFault`. */
export function paste(staged: Staged, text: string, { rows, columns, row, column, canInsert }: Target): Pasted {
  let next = staged
  let cells = 0
  let passed = 0
  for (const [down, line] of cellsIn(text).entries()) {
    const at = rows[row + down]
    const added: Record<string, string | null> = {}
    for (const [right, cell] of line.entries()) {
      const to = columns[column + right]
      if (!to || !canWrite(at, to) || (at === undefined && !canInsert)) {
        passed += 1
        continue
      }
      const value = cell === null && !to.isNullable ? '' : cell
      cells += 1
      if (!at) added[to.name] = value
      else
        next = stageCell(next, {
          id: at.id!,
          key: at.key,
          column: to.name,
          old: memberOf(at.cells, to.name) ?? null,
          value,
        })
    }
    if (!at && canInsert && Object.keys(added).length > 0) next = stageInsert(next, added)
  }
  return { staged: next, cells, passed }
}
