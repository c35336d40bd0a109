import { formatBytes } from '../../../base/format.ts'
import css from './grid.module.css'

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

const shapes = ['point', 'line', 'polygon', 'multipoint', 'multiline', 'multipolygon', 'collection'] as const

/** Bytes and shapes in a few words, because their digits mean nothing to people; null for other types. */
function sizeOf(type: string, value: string, bytes: number | undefined): string | null {
  // PostgreSQL prints two hexadecimal digits a byte, after a backslash and an x.
  if (type === 'bytea') return `bytes, ${formatBytes(Math.max(0, ((bytes ?? value.length) - 2) / 2))}`
  if (type !== 'geometry' && type !== 'geography') return null
  return `${shapeOf(value)}, ${formatBytes((bytes ?? value.length) / 2)}`
}

/** The shape of a geometry in PostGIS's hexadecimal form: its second field tells. */
function shapeOf(value: string): string {
  const bytes = [1, 2, 3, 4].map((at) => Number.parseInt(value.slice(at * 2, at * 2 + 2), 16))
  const code = value.startsWith('01') ? bytes[0]! : bytes[3]!
  return shapes[code - 1] ?? 'shape'
}
