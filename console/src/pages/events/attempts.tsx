import { formatTime, plural } from '../../base/format.ts'
import { Mark } from '../../parts/mark.tsx'
import { type Invocation, utc } from './event-triggers.ts'
import css from './events.module.css'

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '').slice(0, 64_000)

/** The attempts, the newest first. */
export const Attempts = ({ invocations }: { readonly invocations: readonly Invocation[] }) => (
  <section aria-label="Attempts">
    <h3 className={css['heading']}>{plural(invocations.length, 'attempt')}</h3>
    <ol>
      {invocations.map(({ id, status, request, response, created_at }) => (
        <li key={id} className={css['attempt']}>
          <details>
            <summary>
              <Mark state={status !== null && status >= 200 && status < 300 ? 'good' : 'bad'}>
                {status === null || status >= 1000 ? 'no answer' : status}
              </Mark>{' '}
              {formatTime(utc(created_at))}
            </summary>
            <p className={css['note']}>Request</p>
            <pre className={css['value']}>{textOf(request)}</pre>
            <p className={css['note']}>Answer</p>
            <pre className={css['value']}>{textOf(response)}</pre>
          </details>
        </li>
      ))}
    </ol>
  </section>
)
