import { useState } from 'react'
import { formatCount } from '../base/format.ts'
import { isExactNumber } from '../base/json.ts'
import { memberPath } from '../base/json-marks.ts'
import { Button } from './button.tsx'
import css from './json-tree.module.css'

/** Members of a list or object that are shown at once. */
const shownAtOnce = 100
/** Characters of a text that are shown. */
const shownCharacters = 2000

/** JSON as a tree, of which only the open parts are in the page. */
export const JsonTree = ({ label, value, openLevels = 5, marks = noMarks, markWord = 'differs' }: JsonTreeProps) => (
  <ul className={css['tree']} aria-label={label}>
    <Node name={null} path="" {...{ value, openLevels, marks, markWord }} />
  </ul>
)

const noMarks: ReadonlySet<string> = new Set()

interface JsonTreeProps {
  readonly label: string
  readonly value: unknown
  /** Levels that are open at first. */
  readonly openLevels?: number
  /** Places that are marked, as `data.album[0].title`. */
  readonly marks?: ReadonlySet<string>
  /** The meaning of a mark. */
  readonly markWord?: string
}

interface NodeProps {
  readonly name: string | null
  readonly value: unknown
  readonly openLevels: number
  readonly path: string
  readonly marks: ReadonlySet<string>
  readonly markWord: string
}

function Node({ name, value, openLevels, path, marks, markWord }: NodeProps) {
  const [isOpen, setOpen] = useState(openLevels > 0)
  const [shown, setShown] = useState(shownAtOnce)
  const isMarked = marks.has(path)
  const mark = isMarked && <abbr title={markWord}>◆</abbr>
  const label = name !== null && (
    <span className={css['name']}>
      {mark}
      {name}:{' '}
    </span>
  )
  if (typeof value !== 'object' || value === null || isExactNumber(value)) {
    return (
      <li data-marked={isMarked || undefined}>
        {label}
        <Leaf value={value} />
      </li>
    )
  }
  const members = Object.entries(value)
  const isList = Array.isArray(value)
  const size = isList ? `[${formatCount(members.length)}]` : `{${formatCount(members.length)}}`
  return (
    <li data-marked={isMarked || undefined}>
      <button type="button" className={css['fold']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? '▾' : '▸'}</span> {label}
        <span className={css['size']}>{size}</span>
      </button>
      {isOpen && (
        <ul className={css['members']}>
          {members.slice(0, shown).map(([key, member]) => (
            <Node
              key={key}
              name={key}
              value={member}
              openLevels={openLevels - 1}
              path={memberPath(path, key, isList)}
              {...{ marks, markWord }}
            />
          ))}
          {members.length > shown && (
            <li>
              <Button look="quiet" onClick={() => setShown(shown + shownAtOnce)}>
                Show {formatCount(Math.min(shownAtOnce, members.length - shown))} more
              </Button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function Leaf({ value }: { readonly value: unknown }) {
  if (value === null) return <span className={css['null']}>null</span>
  if (isExactNumber(value)) return <span className={css['number']}>{value.rawJSON}</span>
  if (typeof value !== 'string') return <span className={css['number']}>{String(value)}</span>
  const text = value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value
  return <span className={css['text']}>"{text}"</span>
}
