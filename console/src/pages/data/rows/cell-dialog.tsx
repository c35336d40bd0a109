import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { formatBytes } from '../../../base/format.ts'
import { parseExactly } from '../../../base/json.ts'
import { useKeptText } from '../../../base/kept-form.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { JsonTree } from '../../../parts/json-tree.tsx'
import { LargeText } from '../../../parts/large-text.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import { ColumnActions } from '../../../plugins/column-actions.tsx'
import type { Identity } from '../../../requests/identity.ts'
import { type TableName, tableKey } from '../../../server/names.ts'
import { useUrlState } from '../../../shell/navigation.tsx'
import { filterFor } from './filter.ts'
import type { GridColumn, GridRow } from './model.ts'
import { ReferencePicker } from './reference-picker.tsx'
import type { Reference } from './references.ts'
import css from './rows.module.css'
import { isHexadecimal, isShape } from './shapes.ts'
import { largeCharacters } from './tuning.ts'
import { readCell } from './whole-cell.ts'

/** Characters of a value that fit into an address. */
const filteredCharacters = 200

interface CellDialogProps {
  readonly table: TableName
  readonly row: GridRow
  readonly column: GridColumn
  readonly as: Identity
  readonly types: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** The rows that its values are chosen of. */
  readonly reference?: Reference | undefined
  /** Undefined: the default of a new row. `old` is the whole value before. */
  onChange(value: string | null | undefined, old: string | null): void
  onClose(): void
}

/** A whole cell, loaded alone where the grid has a part of it. */
export function CellDialog({ table, row, column, as, types, ...props }: CellDialogProps) {
  const bytes = row.truncated.get(column.name)
  // The grid has shapes in PostGIS's own form.
  const isPart = bytes !== undefined || (isShape(column.type) && isHexadecimal(memberOf(row.cells, column.name)))
  const key = ['cell', table, row.key, column.name, as]
  const whole = useQuery({
    queryKey: key,
    enabled: isPart && row.id !== null,
    gcTime: 0,
    queryFn: ({ signal }) => readCell({ table, key: row.key, column, types, as, signal }),
  })
  const [, filter] = useUrlState('where')
  const value = isPart ? whole.data : memberOf(row.cells, column.name)
  const isReady = !isPart || whole.isSuccess
  return (
    <Dialog
      isOpen
      isWide
      title={column.name}
      description={`${column.type}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`}
      onClose={props.onClose}
    >
      {isPart && row.id === null && <p>The row has no key, so that its cell cannot be loaded alone.</p>}
      {whole.isLoading && <Loading label="Reading the cell" queryKey={key} />}
      {whole.isError && <Failed error={whole.error} onRetry={() => void whole.refetch()} />}
      {isReady && <Editor {...{ value, table, row, column }} {...props} />}
      {value !== undefined && (
        <ColumnActions table={table} row={row.key} value={value} column={{ name: column.name, type: column.type }} />
      )}
      {value !== undefined && (value?.length ?? 0) <= filteredCharacters && !column.isLong && (
        <div className={css['actions']}>
          <Button
            look="quiet"
            onClick={() => {
              filter(filterFor(column.name, value))
              props.onClose()
            }}
          >
            Show rows with this value
          </Button>
        </div>
      )}
    </Dialog>
  )
}

interface EditorProps
  extends Pick<CellDialogProps, 'table' | 'row' | 'column' | 'canEdit' | 'reference' | 'onChange' | 'onClose'> {
  readonly value: string | null | undefined
}

/** Whether a whole cell is JSON: a shape is GeoJSON then. */
const isJson = ({ type }: GridColumn): boolean => type === 'json' || type === 'jsonb' || isShape(type)

function Editor(props: EditorProps) {
  const { value, table, row, column, canEdit, reference, onChange, onClose } = props
  const original = useMemo(() => shownText(value, column), [value, column])
  const name = `cell ${column.name} of ${row.id ?? JSON.stringify(row.key)} of ${tableKey(table)}`
  const { text, change: setText, draft } = useKeptText(name, original)
  const [isAsked, setAsked] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const isInsert = row.state === 'inserted'
  const isAllowed =
    canEdit && row.state !== 'deleted' && (isInsert ? column.isInsertable : column.isUpdatable && row.id !== null)
  const isLarge = original.length > largeCharacters
  const isEdited = isAllowed && (!isLarge || isAsked)
  // Reading a large text again at each key would be felt.
  const fault = isJson(column) && text.trim() !== '' && (!isLarge || isRefused) ? jsonFault(text) : null
  const done = (next: string | null | undefined) => {
    draft.forget()
    onChange(next, value ?? null)
    onClose()
  }
  const stage = () => {
    if (isLarge && isJson(column) && jsonFault(text) !== null) setRefused(true)
    else done(text)
  }
  return (
    <>
      <DraftNote draft={draft} />
      {value === null && <p className={css['type']}>The value is NULL.</p>}
      {isEdited && isShape(column.type) && (
        <p className={css['type']}>
          GeoJSON, as <code>{'{"type": "Point", "coordinates": [10.75, 59.91]}'}</code>.
        </p>
      )}
      {isEdited && reference && (
        <div className={css['picked']}>
          <ReferencePicker
            label={`Choose ${reference.to.name}`}
            {...{ reference, value: value ?? null, isNullable: false }}
            onDone={(next) => typeof next === 'string' && setText(next)}
          />
        </div>
      )}
      <CellContent
        {...{ column, text, isLarge }}
        {...(isEdited && {
          onChange: (next: string) => {
            setText(next)
            setRefused(false)
          },
        })}
      />
      {fault !== null && (
        <p role="alert" className={css['fault']}>
          {fault}
        </p>
      )}
      {isAllowed && (
        <div className={css['actions']}>
          {isLarge && !isAsked && <Button onClick={() => setAsked(true)}>Edit this large value</Button>}
          {isInsert && <Button onClick={() => done(undefined)}>Use default</Button>}
          {column.isNullable && value !== null && <Button onClick={() => done(null)}>Set NULL</Button>}
          <Button look="main" disabled={text === original || fault !== null} onClick={stage}>
            Stage edit
          </Button>
        </div>
      )}
    </>
  )
}

interface CellContentProps {
  readonly column: GridColumn
  readonly text: string
  readonly isLarge: boolean
  /** Absent: it is only read. */
  onChange?(text: string): void
}

/** A value in an editor; a large one as a tree of JSON or in parts, which open at once. */
function CellContent({ column, text, isLarge, onChange }: CellContentProps) {
  const { name } = column
  const change = onChange ? { onChange } : {}
  if (!isLarge) return <Code label={name} language={isJson(column) ? 'json' : 'text'} value={text} {...change} />
  if (isJson(column) && !onChange) return <LargeJson label={name} text={text} />
  return <LargeText label={name} value={text} {...change} />
}

function LargeJson({ label, text }: { readonly label: string; readonly text: string }) {
  const value = useMemo(() => parseExactly(text), [text])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section aria-label={`${label}, scrolls`} tabIndex={0} className={css['tree']}>
      <JsonTree label={label} value={value} openLevels={1} />
    </section>
  )
}

/** A value as it is edited: JSON is indented. */
function shownText(value: string | null | undefined, column: GridColumn): string {
  if (value === null || value === undefined) return ''
  if (!isJson(column)) return value
  try {
    return JSON.stringify(parseExactly(value), null, 2)
  } catch {
    return value
  }
}

function jsonFault(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
