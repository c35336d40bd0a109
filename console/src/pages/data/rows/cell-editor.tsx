import { type KeyboardEvent, useState } from 'react'
import css from './grid.module.css'
import type { GridColumn } from './model.ts'
import { ReferencePicker } from './reference-picker.tsx'
import type { Reference } from './references.ts'

interface CellEditorProps {
  readonly column: GridColumn
  /** Undefined: the default of a new row. */
  readonly value: string | null | undefined
  /** The rows that its values are chosen of. */
  readonly reference?: Reference | undefined
  /** Undefined: nothing changes. `step`: rows to go down. */
  onDone(value: string | null | undefined, step: number): void
}

/** Edits a cell in its place: Enter takes the text, Escape leaves the old one. */
export function CellEditor({ column, value, reference, onDone }: CellEditorProps) {
  const [text, setText] = useState(value ?? '')
  const unchanged = text === (value ?? '')
  const done = (step: number) => onDone(unchanged ? undefined : text, step)
  const follow = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') onDone(undefined, 0)
    if (event.key === 'Enter') done(1)
  }
  if (reference) {
    const { name, isNullable } = column
    return <ReferencePicker label={name} {...{ reference, isNullable, onDone }} value={value ?? null} />
  }
  const values = column.type === 'bool' ? ['true', 'false'] : column.values
  if (values) {
    const choices = [...values, ...(column.isNullable ? ['NULL'] : [])]
    return (
      <select
        aria-label={column.name}
        // biome-ignore lint/a11y/noAutofocus: the person asked to edit this cell.
        autoFocus
        className={css['editor']}
        value={value ?? 'NULL'}
        onKeyDown={follow}
        onChange={(event) =>
          onDone(event.target.value === 'NULL' && !values.includes('NULL') ? null : event.target.value, 0)
        }
        onBlur={() => onDone(undefined, 0)}
      >
        {(value === null || value === undefined) && !column.isNullable && <option value="NULL">choose</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  }
  return (
    <>
      <input
        aria-label={column.name}
        // biome-ignore lint/a11y/noAutofocus: the person asked to edit this cell.
        autoFocus
        className={css['editor']}
        value={text}
        placeholder={value === null ? 'NULL' : ''}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={follow}
        onBlur={() => done(0)}
      />
      {column.isNullable && value !== null && (
        <button
          type="button"
          className={css['setNull']}
          // The field keeps the focus, so that leaving it takes no text.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onDone(null, 0)}
        >
          NULL
        </button>
      )}
    </>
  )
}
