import { formatBytes } from '../../../base/format.ts'
import css from './grid.module.css'

/** Characters of a cell that are in the page: no line of the grid shows more. */
const shownCharacters = 200

/** A value as the grid shows it: NULL and the empty text look different from any other text. */
export function CellText({ value, bytes }: { readonly value: string | null; readonly bytes?: number | undefined }) {
  if (value === null) return <i className={css['null']}>NULL</i>
  if (value === '') return <span className={css['null']}>""</span>
  const text = value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value
  return (
    <>
      <span className={css['text']}>{text.replaceAll('\n', ' ↵ ')}</span>
      {bytes !== undefined && <span className={css['bytes']}>{formatBytes(bytes)}</span>}
    </>
  )
}
