import { Table, type TableColumn } from '../../parts/table.tsx'
import css from './api.module.css'

type Row = Readonly<Record<string, unknown>>

/** A list of objects in an answer. */
export interface AnswerRows {
  readonly name: string
  readonly rows: readonly Row[]
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The lists of objects among the root fields of an answer. */
export function rowsIn(body: unknown): readonly AnswerRows[] {
  const data = isRow(body) ? body['data'] : null
  return Object.entries(isRow(data) ? data : {}).flatMap(([name, value]) => {
    const list = Array.isArray(value) ? value : isRow(value) && Array.isArray(value['nodes']) ? value['nodes'] : []
    return list.length > 0 && list.every(isRow) ? [{ name, rows: list }] : []
  })
}

/** Characters of a value in a cell. */
const shownCharacters = 300

const text = (value: unknown): string => {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return whole.length > shownCharacters ? `${whole.slice(0, shownCharacters)}…` : whole
}

function widthOf(name: string, rows: readonly Row[]): string {
  const lengths = rows.slice(0, 50).map((row) => text(row[name]).length)
  return `${Math.min(320, Math.max(80, Math.max(name.length, ...lengths) * 8 + 24))}px`
}

/** Rows of an answer as a table. */
export function AnswerTable({ name, rows }: AnswerRows) {
  const names = [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))]
  const numbered = rows.map((row, at) => ({ row, at }))
  return (
    <Table<{ readonly row: Row; readonly at: number }>
      label={name}
      rows={numbered}
      rowKey={({ at }) => String(at)}
      columns={names.map(
        (column): TableColumn<{ readonly row: Row; readonly at: number }> => ({
          ...{ key: column, title: column, width: widthOf(column, rows) },
          ...(typeof rows[0]?.[column] === 'number' && { align: 'end' }),
          cell: ({ row }) => (row[column] === null ? <span className={css['null']}>null</span> : text(row[column])),
        }),
      )}
    />
  )
}
