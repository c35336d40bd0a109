import { Code } from '../../parts/code.tsx'
import type { Invocation } from './event-triggers.ts'
import css from './timeline.module.css'
import { changeOf, partsOf, type TimelineEvent } from './timeline-data.ts'

/** Characters of a value that are shown. */
const shownCharacters = 64_000
/** Characters of a column's value. */
const shownInColumn = 2000

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')).slice(0, shownCharacters)

const inColumn = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, shownInColumn)

/** The row before and after, column by column; of an event that was sent by hand, its payload. */
export function Change({ event }: { readonly event: TimelineEvent }) {
  const columns = changeOf(event)
  if (columns === null) return <Code label="Payload" language="json" value={textOf(event.data)} />
  const [hasOld, hasNew] = [event.op !== 'INSERT', event.op !== 'DELETE']
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label={`Row that event ${event.id} tells, scrolls`} tabIndex={0}>
      <table className={css['change']}>
        <thead>
          <tr>
            <th scope="col">Column</th>
            {hasOld && <th scope="col">Before</th>}
            {hasNew && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, before, after, isChanged }) => (
            <tr key={name} data-changed={isChanged || undefined}>
              <th scope="row">
                {name}
                {isChanged && <span className={css['mark']}> changed</span>}
              </th>
              {hasOld && (
                <td>
                  <code>{inColumn(before)}</code>
                </td>
              )}
              {hasNew && (
                <td>
                  <code>{inColumn(after)}</code>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Headers = ({
  title,
  headers,
}: {
  readonly title: string
  readonly headers: ReturnType<typeof partsOf>['sent']
}) =>
  headers &&
  headers.length > 0 && (
    <>
      <p className={css['label']}>{title}</p>
      <ul className={css['headers']}>
        {headers.map(({ name, value }, index) => (
          <li key={index}>
            <code>
              {name}: {String(value)}
            </code>
          </li>
        ))}
      </ul>
    </>
  )

/** The headers of an attempt, whose secrets the log has masked, and its answer. */
export function AttemptDetails({ attempt }: { readonly attempt: Invocation }) {
  const { sent, received, body } = partsOf(attempt)
  return (
    <details>
      <summary>Headers and answer</summary>
      <Headers title="Headers of the request" headers={sent} />
      <Headers title="Headers of the answer" headers={received} />
      <p className={css['label']}>Answer</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <pre className={css['value']} tabIndex={0}>
        {textOf(body) || 'nothing'}
      </pre>
    </details>
  )
}
