import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { asFailure } from '../requests/failure.ts'
import { Button } from './button.tsx'
import css from './states.module.css'

interface EmptyProps {
  /** An empty text: the page's title says it. */
  readonly title: string
  /** Names this place, and the next step. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** A place where nothing is yet. */
export const Empty = ({ title, children, actions }: EmptyProps) => (
  <div className={css['state']}>
    {title !== '' && <h2 className={css['title']}>{title}</h2>}
    {children && <div className={css['text']}>{children}</div>}
    {actions && <div className={css['actions']}>{actions}</div>}
  </div>
)

/** Becomes true after a while. */
function useAfter(millis: number): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), millis)
    return () => clearTimeout(timer)
  }, [millis])
  return isOver
}

/** Milliseconds until something that loads is shown, so that nothing flashes. */
const shownAfter = 200
/** Milliseconds until it can be cancelled. */
const cancelledAfter = 2000

/** A place that loads for the first time. */
export function Loading({ label, queryKey }: { readonly label: string; readonly queryKey?: readonly unknown[] }) {
  const client = useQueryClient()
  const isShown = useAfter(shownAfter)
  const isLong = useAfter(cancelledAfter)
  return (
    <div className={css['loading']} role="status" aria-label={label} data-loading>
      {isShown &&
        [72, 54, 88, 46].map((width) => <div key={width} className={css['bar']} style={{ width: `${width}%` }} />)}
      {isLong && queryKey && (
        <div className={css['actions']}>
          <span>{label}</span>
          <Button onClick={() => void client.cancelQueries({ queryKey })}>Cancel</Button>
        </div>
      )}
    </div>
  )
}

interface FailedProps {
  readonly error: unknown
  /** Absent: there is nothing to retry. */
  onRetry?(): void
}

/** The words of PostgreSQL, which the server has among its details. */
const wordsOf = (internal: unknown): string | null => {
  const inner = (internal as { readonly error?: { readonly message?: unknown } } | null)?.error?.message
  return typeof inner === 'string' ? inner : null
}

/** A part that failed: all that the server told, and a way on. */
export function Failed({ error, onRetry }: FailedProps) {
  const { code, path, message, internal, hint, requestId, status } = asFailure(error).facts
  const words = wordsOf(internal)
  return (
    <div className={css['failed']} role="alert">
      <CircleAlert aria-hidden className={css['mark']} />
      <div className={css['facts']}>
        <p className={css['message']}>{message}</p>
        {words !== null && !message.includes(words) && <p>{words}</p>}
        {hint && <p>{hint}</p>}
        <p className={css['codes']}>
          <code>{code}</code>
          {path && <code>{path}</code>}
          {status > 0 && <span>status {status}</span>}
          {requestId && <span>request {requestId}</span>}
        </p>
        {internal !== null && internal !== undefined && (
          <details>
            <summary>Details</summary>
            <pre className={css['internal']}>{JSON.stringify(internal, null, 2)}</pre>
          </details>
        )}
        {onRetry && (
          <div className={css['actions']}>
            <Button onClick={onRetry}>Retry</Button>
          </div>
        )}
      </div>
    </div>
  )
}
