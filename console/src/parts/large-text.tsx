import { useMemo, useState } from 'react'
import { formatCount } from '../base/format.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import css from './large-text.module.css'

/** Characters that are in the page at once: browsers lay out so many without a pause. */
const partCharacters = 16 * 1024

interface LargeTextProps {
  readonly label: string
  readonly value: string
  /** Absent: the text can only be read. */
  onChange?(value: string): void
}

/** A text that is too large for an editor: one part of it at a time, which can be found and edited. */
export function LargeText({ label, value, onChange }: LargeTextProps) {
  const [start, setStart] = useState(0)
  // While a part is edited, its end moves and the rest stays.
  const [edited, setEdited] = useState<string | null>(null)
  const [needle, setNeedle] = useState('')
  const [found, setFound] = useState<number | null>(null)
  const length = edited?.length ?? partLength(value, start)
  const part = value.slice(start, start + length)
  const go = (to: number) => {
    setStart(boundary(value, Math.max(0, Math.min(to, value.length - 1))))
    setEdited(null)
  }
  const find = () => {
    const from = found === null ? start : found + 1
    const at = value.indexOf(needle, from)
    const next = at >= 0 ? at : value.indexOf(needle)
    setFound(next)
    // Some text before it is shown, too.
    if (next >= 0 && (next < start || next + needle.length > start + length)) go(next - partCharacters / 2)
  }
  const isThere = needle !== '' && found !== null && found >= start && found < start + length
  const place = `Characters ${formatCount(value === '' ? 0 : start + 1)} to ${formatCount(start + length)} of ${formatCount(value.length)}`
  return (
    <div className={css['large']}>
      <form
        className={css['find']}
        onSubmit={(event) => {
          event.preventDefault()
          if (needle !== '') find()
        }}
      >
        <Field
          label={`Find in ${label}`}
          isLabelHidden
          placeholder="Find"
          value={needle}
          onChange={(event) => {
            setNeedle(event.target.value)
            setFound(null)
          }}
        />
        <Button type="submit" disabled={needle === ''}>
          Find next
        </Button>
        <span role="status">{found === -1 ? 'It is not in the text.' : place}</span>
      </form>
      {onChange ? (
        <textarea
          className={css['part']}
          aria-label={label}
          spellCheck={false}
          value={part}
          onChange={(event) => {
            onChange(value.slice(0, start) + event.target.value + value.slice(start + length))
            setEdited(event.target.value)
          }}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <section className={css['part']} aria-label={label} tabIndex={0}>
          {isThere ? <Found text={part} at={found - start} length={needle.length} /> : part}
        </section>
      )}
      <div className={css['steps']}>
        <Button disabled={start === 0} onClick={() => go(0)}>
          First part
        </Button>
        <Button disabled={start === 0} onClick={() => go(start - partCharacters)}>
          Part before
        </Button>
        <Button disabled={start + length >= value.length} onClick={() => go(start + length)}>
          Part after
        </Button>
        <Button disabled={start + length >= value.length} onClick={() => go(value.length - partCharacters)}>
          Last part
        </Button>
      </div>
    </div>
  )
}

/** A place that does not part the two halves of a character. */
const boundary = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}

const partLength = (text: string, start: number): number =>
  start + partCharacters >= text.length ? text.length - start : boundary(text, start + partCharacters) - start

interface FoundProps {
  readonly text: string
  readonly at: number
  readonly length: number
}

/** The text with the mark of a part of it, which is scrolled to. */
function Found({ text, at, length }: FoundProps) {
  const mark = useMemo(
    () => (
      <mark ref={(element) => element?.scrollIntoView({ block: 'center' })} key={at}>
        {text.slice(at, at + length)}
      </mark>
    ),
    [text, at, length],
  )
  return (
    <>
      {text.slice(0, at)}
      {mark}
      {text.slice(at + length)}
    </>
  )
}
