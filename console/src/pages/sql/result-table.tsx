import { useMemo, useState } from 'react'
import { copyText } from '../../base/clipboard.ts'
import { asCsv, asJson, asMarkdown } from '../../base/clipboard-formats.ts'
import { plural } from '../../base/format.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import type { StatementOutcome } from './running.ts'
import css from './sql.module.css'

/** Characters of a value in the table. */
const shownCharacters = 300
/** Characters of a value in the dialog of its row. */
const mostCharacters = 200_000

interface Row {
  readonly index: number
  readonly cells: readonly (string | null)[]
}

const formats = { CSV: asCsv, JSON: asJson, Markdown: asMarkdown }

const isNumber = (type: string): boolean =>
  /^(?:smallint|integer|bigint|numeric|real|double precision|oid|money)\b/.test(type)

/** A value: null and an empty text look different from every other one. */
function Cell({ value, most }: { readonly value: string | null; readonly most: number }) {
  if (value === null) return <span className={css['null']}>null</span>
  if (value === '') return <span className={css['null']}>""</span>
  return value.length > most ? `${value.slice(0, most)}…` : value
}

/** Buttons that copy the rows. */
export function CopyButtons({ result }: { readonly result: StatementOutcome }) {
  const copy = async (format: keyof typeof formats) => {
    const { columns, rows } = result
    await copyText(formats[format]({ columns: (columns ?? []).map(({ name }) => name), rows: rows ?? [] }))
    toast(`Copied ${plural(rows?.length ?? 0, 'row')} as ${format}`)
  }
  return (
    <span className={css['copies']}>
      <span className={css['note']}>Copy as</span>
      {(['CSV', 'JSON', 'Markdown'] as const).map((format) => (
        <Button key={format} look="quiet" onClick={() => void copy(format)}>
          {format}
        </Button>
      ))}
    </span>
  )
}

/** A width for the values of the first rows. */
function widthOf(name: string, rows: readonly Row[], column: number): string {
  const lengths = rows.slice(0, 50).map(({ cells }) => cells[column]?.length ?? 4)
  return `${Math.min(360, Math.max(80, Math.max(name.length, ...lengths) * 8 + 24))}px`
}

/** The rows of a statement; a click or Enter shows one row whole. */
export function ResultTable({ result }: { readonly result: StatementOutcome }) {
  const [open, setOpen] = useState<Row | null>(null)
  const columns = result.columns ?? []
  const rows = useMemo(() => (result.rows ?? []).map((cells, index) => ({ index, cells })), [result.rows])
  if (rows.length === 0) return <Empty title="No rows">The statement answered none.</Empty>
  return (
    <>
      <Table<Row>
        label="Rows"
        rows={rows}
        rowKey={({ index }) => String(index)}
        onOpen={setOpen}
        columns={columns.map(
          ({ name, type }, index): TableColumn<Row> => ({
            key: String(index),
            title: name,
            width: widthOf(name, rows, index),
            ...(isNumber(type) && { align: 'end' }),
            head: <span title={`${name}, ${type}`}>{name}</span>,
            cell: ({ cells }) => (
              <span className={css['cell']}>
                <Cell value={cells[index] ?? null} most={shownCharacters} />
              </span>
            ),
          }),
        )}
      />
      <Dialog isOpen={open !== null} isWide title={`Row ${(open?.index ?? 0) + 1}`} onClose={() => setOpen(null)}>
        <dl className={css['record']}>
          {columns.map(({ name, type }, index) => (
            <div key={index} style={{ display: 'contents' }}>
              <dt>
                {name} <span className={css['type']}>{type}</span>
              </dt>
              <dd>
                <pre>
                  <Cell value={open?.cells[index] ?? null} most={mostCharacters} />
                </pre>
              </dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
