import { formatBytes } from '../../../base/format.ts'
import css from './grid.module.css'
import { isHexadecimal, isShape, kindOf } from './shapes.ts'

/** Characters of a cell that are in the page: no line of the grid shows more. */
const shownCharacters = 200

interface CellTextProps {
  readonly value: string | null
  readonly bytes?: number | undefined
  /** Absent: it is shown as a text. */
  readonly type?: string
}

/** A value as the grid shows it: NULL and the empty text look different from any other text. */
export function CellText({ value, bytes, type }: CellTextProps) {
  if (value === null) return <i className={css['null']}>NULL</i>
  if (value === '') return <span className={css['null']}>""</span>
  const size = type === undefined ? null : sizeOf(type, value, bytes)
  if (size !== null) return <span className={css['null']}>{size}</span>
  const text = value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value
  return (
    <>
      <span className={css['text']}>{text.replaceAll('\n', ' ↵ ')}</span>
      {bytes !== undefined && <span className={css['bytes']}>{formatBytes(bytes)}</span>}
    </>
  )
}

/** Bytes and shapes in a few words, because their digits mean nothing to people; null for other types. */
function sizeOf(type: string, value: string, bytes: number | undefined): string | null {
  // PostgreSQL prints two hexadecimal digits a byte, after a backslash and an x.
  if (type === 'bytea') return `bytes, ${formatBytes(Math.max(0, ((bytes ?? value.length) - 2) / 2))}`
  if (!isShape(type)) return null
  return isHexadecimal(value) ? `${kindOf(value)}, ${formatBytes((bytes ?? value.length) / 2)}` : kindOf(value)
}
