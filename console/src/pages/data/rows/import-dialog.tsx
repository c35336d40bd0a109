import { FileUp } from 'lucide-react'
import { useMemo, useState } from 'react'
import { CsvFault, readCsv } from '../../../base/csv.ts'
import { formatCount, plural } from '../../../base/format.ts'
import { useKeptText } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { tableKey } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { CellText } from './cell.tsx'
import css from './rows.module.css'
import { argumentOf } from './save.ts'

/** Rows that one request inserts. */
const batchRows = 500
/** Rows that are shown before they are inserted. */
const shownRows = 5

interface ImportDialogProps {
  readonly table: TableName
  readonly as: Identity
  readonly types: ReadonlyMap<string, string>
  /** Called when rows were inserted. */
  onInserted(): void
  onClose(): void
}

interface Read {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
  readonly fault: string | null
}

const faultOf = (message: string): Read => ({ columns: [], rows: [], fault: message })

/** The rows of a text, whose first line names columns of the table. */
function readRows(text: string, types: ReadonlyMap<string, string>): Read {
  try {
    const [head = [], ...rows] = readCsv(text)
    const columns = head.map((name) => name ?? '')
    const unknown = columns.find((name) => !types.has(name))
    if (unknown !== undefined) return faultOf(`The first line names "${unknown}", which is no column of the table.`)
    const wrong = rows.findIndex((row) => row.length !== columns.length)
    if (wrong >= 0) {
      return faultOf(`Row ${wrong + 1} has ${plural(rows[wrong]!.length, 'cell')}, not ${columns.length}.`)
    }
    return { columns, rows, fault: null }
  } catch (error) {
    if (error instanceof CsvFault) return faultOf(error.message)
    throw error
  }
}

/** The button that opens the import. */
export function ImportRows(props: Omit<ImportDialogProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button isFolding title="Import rows of a file" icon={<FileUp aria-hidden />} onClick={() => setOpen(true)}>
        Import rows
      </Button>
      {isOpen && <ImportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Inserts rows of a CSV file, or of cells that were copied in a spreadsheet. */
function ImportDialog({ table, as, types, onInserted, onClose }: ImportDialogProps) {
  const { text, change: setText, draft } = useKeptText(`rows of ${tableKey(table)}`, '')
  const [inserted, setInserted] = useState(0)
  const { isBusy, error, attempt } = useAttempt()
  const { columns, rows, fault } = useMemo(() => readRows(text, types), [text, types])
  const left = rows.slice(inserted)
  const insert = async () => {
    let done = inserted
    await attempt(async () => {
      while (done < rows.length) {
        const batch = rows.slice(done, done + batchRows)
        const objects = batch.map((row) =>
          Object.fromEntries(row.map((cell, index) => [columns[index]!, argumentOf(cell, types.get(columns[index]!))])),
        )
        await run('insert', { table, objects }, { as })
        done += batch.length
        setInserted(done)
        // A later import of the text would insert these again.
        draft.forget()
      }
      toast(`Inserted ${plural(rows.length, 'row')}`)
      onClose()
    })
    if (done > inserted) onInserted()
  }
  return (
    <FormDialog
      isWide
      title={`Import rows into ${table.name}`}
      description="CSV, or cells of a spreadsheet. The first line names the columns; an empty cell is NULL."
      onClose={onClose}
      submit={`Insert ${plural(left.length, 'row')}`}
      isBusy={isBusy}
      disabled={left.length === 0}
      onSubmit={insert}
      draft={draft}
      error={error}
    >
      {error !== null && (
        <p className={css['fault']}>
          {inserted > 0 && `Rows 1 to ${formatCount(inserted)} are inserted. `}
          No row from {formatCount(inserted + 1)} to {formatCount(Math.min(inserted + batchRows, rows.length))} is
          inserted.
        </p>
      )}
      <label className={css['file']}>
        <span className={css['type']}>File</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={async ({ target }) => {
            setInserted(0)
            setText((await target.files?.[0]?.text()) ?? '')
          }}
        />
      </label>
      <textarea
        className={css['pasted']}
        aria-label="Rows as CSV"
        placeholder="name,milliseconds"
        spellCheck={false}
        // A large file is in memory alone.
        value={text.length > 100_000 ? `${text.slice(0, 100_000)}…` : text}
        readOnly={text.length > 100_000}
        onChange={({ target }) => {
          setInserted(0)
          setText(target.value)
        }}
      />
      {text !== '' && fault !== null && (
        <p role="alert" className={css['fault']}>
          {fault}
        </p>
      )}
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <section className={css['preview']} aria-label="First rows, scrolls" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shownRows).map((row, at) => (
                <tr key={`${at} ${row.join()}`}>
                  {row.map((value, index) => (
                    <td key={columns[index]}>
                      <CellText value={value} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </FormDialog>
  )
}
