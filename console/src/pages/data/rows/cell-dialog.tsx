import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatBytes } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { exchange } from '../../../server/operations.ts'
import { useUrlState } from '../../../shell/navigation.tsx'
import { filterFor } from './filter.ts'
import type { GridColumn, GridRow } from './model.ts'
import css from './rows.module.css'
import { keyCondition } from './save.ts'

/** Characters of a value that fit into an address. */
const filteredCharacters = 200
/** Characters above which a text is only read until somebody asks to edit it. */
const editedUnasked = 1024 * 1024

interface CellDialogProps {
  readonly table: TableName
  readonly row: GridRow
  readonly column: GridColumn
  readonly as: Identity
  readonly types: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** Undefined: the default of a new row. */
  onChange(value: string | null | undefined): void
  onClose(): void
}

const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The cell of an answer with one row of one column, as text: JSON with all its digits, others as they are. */
function cellOf(answer: string, { name, type }: GridColumn): string | null {
  const key = JSON.stringify(name)
  const at = answer.indexOf(key)
  if (at < 0) throw new Error('the row is gone')
  const value = answer.slice(answer.indexOf(':', at + key.length) + 1, answer.lastIndexOf('}')).trim()
  if (value === 'null') return null
  return value.startsWith('"') && type !== 'json' && type !== 'jsonb' ? JSON.parse(value) : value
}

/** A whole cell, loaded alone where the grid has a part of it. */
export function CellDialog({ table, row, column, as, types, ...props }: CellDialogProps) {
  const bytes = row.truncated.get(column.name)
  const key = ['cell', table, row.key, column.name, as]
  const whole = useQuery({
    queryKey: key,
    enabled: bytes !== undefined && row.id !== null,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const args = { table, columns: [column.name], where: keyCondition(row.key, types), limit: 1 }
      const { text } = await exchange('select', args, { as, signal })
      return cellOf(text, column)
    },
  })
  const [, filter] = useUrlState('where')
  const value = bytes === undefined ? row.cells[column.name] : whole.data
  const isReady = bytes === undefined || whole.isSuccess
  return (
    <Dialog
      isOpen
      isWide
      title={column.name}
      description={`${column.type}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`}
      onClose={props.onClose}
    >
      {bytes !== undefined && row.id === null && <p>The row has no key, so that its cell cannot be loaded alone.</p>}
      {whole.isLoading && <Loading label="Reading the cell" queryKey={key} />}
      {whole.isError && <Failed error={whole.error} onRetry={() => void whole.refetch()} />}
      {isReady && <Editor value={value} row={row} column={column} {...props} />}
      {value !== undefined && (value?.length ?? 0) <= filteredCharacters && !column.isLong && (
        <Button
          look="quiet"
          onClick={() => {
            filter(filterFor(column.name, value))
            props.onClose()
          }}
        >
          Show rows with this value
        </Button>
      )}
    </Dialog>
  )
}

interface EditorProps extends Pick<CellDialogProps, 'row' | 'column' | 'canEdit' | 'onChange' | 'onClose'> {
  readonly value: string | null | undefined
}

function Editor({ value, row, column, canEdit, onChange, onClose }: EditorProps) {
  const isJson = column.type === 'json' || column.type === 'jsonb'
  const original = value === null || value === undefined ? '' : isJson ? indented(value) : value
  const [text, setText] = useState(original)
  const [isAsked, setAsked] = useState(false)
  const isInsert = row.state === 'inserted'
  const isAllowed =
    canEdit && row.state !== 'deleted' && (isInsert ? column.isInsertable : column.isUpdatable && row.id !== null)
  const isLarge = original.length > editedUnasked
  const isEdited = isAllowed && (!isLarge || isAsked)
  const fault = isJson && text.trim() !== '' ? jsonFault(text) : null
  const done = (next: string | null | undefined) => {
    onChange(next)
    onClose()
  }
  return (
    <>
      {value === null && <p className={css['type']}>The value is NULL.</p>}
      <Code
        label={column.name}
        language={isJson && !isLarge ? 'json' : 'text'}
        value={text}
        {...(isEdited && { onChange: setText })}
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
          <Button look="main" disabled={text === original || fault !== null} onClick={() => done(text)}>
            Stage edit
          </Button>
        </div>
      )}
    </>
  )
}

function jsonFault(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
