import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useDebounced } from '../../../base/debounced.ts'
import { useStore } from '../../../base/store.ts'
import { asFailure } from '../../../requests/failure.ts'
import { identity } from '../../../requests/identity.ts'
import { run } from '../../../server/operations.ts'
import { cellsOf, labelColumnOf, labelOf } from '../labels.ts'
import css from './grid.module.css'
import type { BrowsedRows } from './model.ts'
import type { Reference } from './references.ts'

/** Rows that are offered. */
const offeredRows = 20
const labelCharacters = 60
/** Milliseconds without a key until rows are read. */
const readAfter = 150

interface ReferencePickerProps {
  readonly label: string
  readonly reference: Reference
  readonly value: string | null
  readonly isNullable: boolean
  /** Undefined: nothing changes. `step`: rows to go down. */
  onDone(value: string | null | undefined, step: number): void
}

const browse = (reference: Reference, where: object | null) => ({
  ...{ table: reference.to, limit: offeredRows, preview_bytes: labelCharacters },
  ...(where !== null && { where }),
})

/** Rows of a table whose key or label has the text. */
function useOffered(reference: Reference, text: string) {
  const as = useStore(identity)
  const ask = (where: object | null, signal: AbortSignal): Promise<BrowsedRows> =>
    run<BrowsedRows>('browse_rows', browse(reference, where), { as, signal })
  const first = useQuery({
    queryKey: ['rows', reference.to, 'offered', as],
    queryFn: ({ signal }) => ask(null, signal),
  })
  const needle = useDebounced(text, readAfter).trim()
  const found = useQuery({
    queryKey: ['rows', reference.to, 'offered', as, needle],
    enabled: first.data !== undefined && needle !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }): Promise<BrowsedRows> => {
      const label = labelColumnOf(first.data!)
      const type = first.data!.columns.find(({ name }) => name === reference.column)?.type ?? ''
      const pattern = `%${needle.replaceAll(/[\\%_]/g, '\\$&')}%`
      const byKey = isKeyText(needle, type) ? [{ [reference.column]: { _eq: needle } }] : []
      return ask({ _or: [...byKey, ...(label === undefined ? [] : [{ [label]: { _ilike: pattern } }])] }, signal)
    },
  })
  const error = first.error ?? found.error
  return { rows: needle === '' ? first.data : found.data, error: error && asFailure(error).facts.message }
}

/** Whether a text can be a key of the type: PostgreSQL refuses others. */
function isKeyText(text: string, type: string): boolean {
  if (/^(?:int[248]|oid|numeric)$/.test(type)) return /^-?\d{1,9}$/.test(text)
  if (type === 'uuid') return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
  return /^(?:text|varchar|bpchar|citext|name)$/.test(type)
}

/** Edits a foreign key: rows of its table are offered by key and label. A text that is not offered may be typed, too. */
export function ReferencePicker({ label, reference, value, isNullable, onDone }: ReferencePickerProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(-1)
  const field = useRef<HTMLInputElement>(null)
  const [box, setBox] = useState<DOMRect | null>(null)
  const id = useId()
  const { rows, error } = useOffered(reference, text)
  useEffect(() => setBox(field.current?.parentElement?.getBoundingClientRect() ?? null), [])
  const offered = rows
    ? cellsOf(rows).map((cells) => ({ key: cells.get(reference.column) ?? '', label: labelOf(rows, cells) }))
    : []
  const choices: readonly { readonly key: string | null; readonly label: string }[] = [
    ...offered,
    ...(isNullable && value !== null ? [{ key: null, label: 'NULL' }] : []),
  ]
  const follow = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') onDone(undefined, 0)
    else if (event.key === 'ArrowDown') setAt(Math.min(choices.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(-1, at - 1))
    else if (event.key === 'Enter') onDone(at >= 0 ? choices[at]?.key : text.trim() === '' ? undefined : text.trim(), 1)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={id}
        aria-autocomplete="list"
        {...(at >= 0 && { 'aria-activedescendant': `${id}-${at}` })}
        // biome-ignore lint/a11y/noAutofocus: the person asked to edit this cell.
        autoFocus
        className={css['editor']}
        value={text}
        placeholder={value ?? 'NULL'}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value)
          setAt(-1)
        }}
        onKeyDown={follow}
        // A key that was typed whole is taken; a part of a label is not.
        onBlur={() => onDone(offered.find(({ key }) => key === text.trim())?.key, 0)}
      />
      {box &&
        createPortal(
          <div
            id={id}
            role="listbox"
            aria-label={`Rows of ${reference.to.name}`}
            className={css['choices']}
            style={placeOf(box)}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
          >
            {choices.map((choice, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field follows the keys.
              <div
                key={choice.key ?? ''}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                ref={index === at ? (each) => each?.scrollIntoView({ block: 'nearest' }) : null}
                className={css['choice']}
                data-current={(choice.key === value && choice.key !== null) || undefined}
                onClick={() => onDone(choice.key, 0)}
              >
                {choice.label}
              </div>
            ))}
            {error !== null && <p className={css['choiceNote']}>{error}</p>}
            {rows && choices.length === 0 && <p className={css['choiceNote']}>No row matches</p>}
          </div>,
          // The list is part of the page, not beside it.
          field.current?.closest<HTMLElement>('[role=dialog], main') ?? document.body,
        )}
    </>
  )
}

/** Pixels of the list. */
const listHeight = 260

/** Below the cell, or above it where there is no room. */
const placeOf = ({ left, top, bottom, width }: DOMRect) => ({
  ...{ left: Math.max(8, Math.min(left, window.innerWidth - 288)), minWidth: Math.max(width, 240) },
  ...(bottom + listHeight > window.innerHeight && top > listHeight
    ? { bottom: window.innerHeight - top }
    : { top: bottom }),
})
