import { type PartChange, partKey, partTitle } from '../server/metadata-patch.ts'
import css from './change-view.module.css'
import { Mark } from './mark.tsx'

/** Characters of a value that are shown. */
const shownCharacters = 20_000

const shown = (value: unknown): string => JSON.stringify(value, null, 2)?.slice(0, shownCharacters) ?? ''

function Value({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === undefined) return null
  return (
    <div>
      <p className={css['note']}>{title}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <pre className={css['value']} tabIndex={0}>
        {shown(value)}
      </pre>
    </div>
  )
}

/** A change with its values before and after, folded. */
export const ChangeView = ({
  change: { before, after },
}: {
  readonly change: { readonly before?: unknown; readonly after?: unknown }
}) => (
  <details className={css['detail']}>
    <summary>
      {before === undefined ? (
        <Mark state="good">added</Mark>
      ) : after === undefined ? (
        <Mark state="bad">removed</Mark>
      ) : (
        <Mark state="waiting">changed</Mark>
      )}
    </summary>
    <div className={css['versions']}>
      <Value title="Before" value={before} />
      <Value title="After" value={after} />
    </div>
  </details>
)

/** The parts of the metadata that differ, each with its values. */
export const PartChanges = ({
  label,
  changes,
}: {
  readonly label: string
  readonly changes: readonly PartChange[]
}) => (
  <ul aria-label={label} className={css['list']}>
    {changes.map((change) => (
      <li key={partKey(change)} className={css['change']}>
        <span>{partTitle(change)}</span>
        <ChangeView change={change} />
      </li>
    ))}
  </ul>
)
