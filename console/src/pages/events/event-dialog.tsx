import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { readOnly } from '../../requests/mode.ts'
import { run } from '../../server/operations.ts'
import { queries } from '../../server/queries.ts'
import { type Invocation, type LoggedEvent, stateOf, utc } from './event-triggers.ts'
import css from './events.module.css'

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '').slice(0, 64_000)

/** One event: its payload, and each attempt to deliver it with request and answer. */
export function EventDialog({ id, onClose }: { readonly id: string; onClose(): void }) {
  const key = ['events', 'one', id]
  const found = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      run<{ event: LoggedEvent; invocations: readonly Invocation[] }>(
        'pg_get_event_by_id',
        { event_id: id },
        { signal },
      ),
  })
  const canEdit = useStore(readOnly) === null
  const [error, setError] = useState<unknown>(null)
  const redeliver = async () => {
    setError(null)
    try {
      await run('redeliver_event', { event_id: id })
      await queries.invalidateQueries({ queryKey: ['events'] })
      toast('The event will be delivered again')
    } catch (failure) {
      setError(failure)
    }
  }
  const [state, word] = found.data ? stateOf(found.data.event) : ([] as const)
  return (
    <Dialog
      isOpen
      isWide
      title={found.data ? `${found.data.event.payload?.op ?? 'Event'} of ${found.data.event.trigger_name}` : 'Event'}
      description={
        <>
          {state && <Mark state={state}>{word}</Mark>} <code>{id}</code>
        </>
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {canEdit && (
            <Button look="main" disabled={!found.data} onClick={() => void redeliver()}>
              Redeliver event
            </Button>
          )}
        </>
      }
    >
      {found.isPending && <Loading label="Reading the event" queryKey={key} />}
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {error !== null && <Failed error={error} />}
      {found.data && (
        <>
          <p className={css['note']}>Recorded {formatTime(utc(found.data.event.created_at))}</p>
          {found.data.event.next_retry_at && (
            <p>
              <Mark state="waiting">next attempt {formatTime(utc(found.data.event.next_retry_at))}</Mark>
            </p>
          )}
          <Code label="Payload" language="json" value={textOf(found.data.event.payload)} />
          <Attempts invocations={found.data.invocations} />
        </>
      )}
    </Dialog>
  )
}

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
