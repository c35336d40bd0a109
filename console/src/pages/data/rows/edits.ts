// Staging edits of the rows that are shown: cells, copies, deletions, cells of the clipboard.

import { useState } from 'react'
import { copyText } from '../../../base/clipboard.ts'
import { plural } from '../../../base/format.ts'
import { memberOf } from '../../../base/members.ts'
import { toast } from '../../../parts/toast.tsx'
import { copyOf } from './duplicate.ts'
import type { GridColumn, GridRow } from './model.ts'
import { paste, rowsText } from './paste.ts'
import { stageCell, stageDelete, stageInsert } from './staged.ts'
import type { RowsView } from './view.ts'

const none: ReadonlySet<string> = new Set()

/** The set with the key, or without it where it was there. */
const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> =>
  new Set(set.has(key) ? [...set].filter((each) => each !== key) : [...set, key])

/** The edits of rows. */
export type RowEdits = ReturnType<typeof useRowEdits>

/** Selects and edits the rows that are shown. */
export function useRowEdits({ info, as, staging, columns, shown }: RowsView) {
  const [selected, setSelected] = useState(none)
  const [error, setError] = useState<unknown>(null)
  const { now, stage } = staging
  const chosen = shown.filter(({ reactKey, id }) => selected.has(reactKey) && id !== null)
  return {
    ...{ selected, chosen, error, setError },
    clear: () => setSelected(none),
    toggle: ({ reactKey }: GridRow) => setSelected(toggled(selected, reactKey)),
    toggleAll() {
      const areAll = shown.every(({ reactKey }) => selected.has(reactKey))
      setSelected(areAll ? none : new Set(shown.map(({ reactKey }) => reactKey)))
    },
    change(
      { id, key, cells }: GridRow,
      { name: column }: GridColumn,
      value: string | null | undefined,
      old = memberOf(cells, column) ?? null,
    ) {
      if (id !== null) stage(stageCell(now(), { id, key, column, value, old }))
    },
    insert: () => stage(stageInsert(now())),
    /** Stages that the chosen rows go. */
    remove() {
      const others = (all: ReturnType<typeof now>, row: GridRow) =>
        stageDelete(all, row.id!, { key: row.key, old: comparable(row, columns) })
      stage(chosen.reduce(others, now()))
      setSelected(none)
    },
    /** Stages new rows with the values of the chosen ones. */
    async duplicate() {
      setError(null)
      try {
        const copies = await Promise.all(chosen.map((row) => copyOf(info, row, as)))
        stage(copies.reduce(stageInsert, now()))
        setSelected(none)
      } catch (failure) {
        setError(failure)
      }
    },
    async copy() {
      try {
        await copyText(rowsText(chosen, columns))
        toast(`Copied ${plural(chosen.length, 'row')}`)
      } catch (failure) {
        setError(failure)
      }
    },
    /** The text for the clipboard: the chosen rows, else a cell. */
    copied: (row: GridRow, { name }: GridColumn): string =>
      chosen.length > 0 ? rowsText(chosen, columns) : (memberOf(row.cells, name) ?? ''),
    paste(text: string, row: GridRow, column: GridColumn) {
      const place = { rows: shown, columns, row: shown.indexOf(row), column: columns.indexOf(column) }
      try {
        const pasted = paste(now(), text, { ...place, canInsert: info.insertable })
        stage(pasted.staged)
        const passed = pasted.passed === 0 ? '' : `; ${plural(pasted.passed, 'cell')} cannot be written`
        toast(`Pasted ${plural(pasted.cells, 'cell')}${passed}`)
      } catch (failure) {
        setError(failure)
      }
    },
  }
}

/** Cells that a delete is conditioned on: those that were shown whole. */
const comparable = ({ cells, truncated }: GridRow, columns: readonly GridColumn[]): GridRow['cells'] =>
  Object.fromEntries(
    columns.flatMap(({ name, isLong, isKey }) => {
      const cell = memberOf(cells, name)
      return isLong || isKey || cell === undefined || truncated.has(name) ? [] : [[name, cell]]
    }),
  )
