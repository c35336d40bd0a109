import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime } from '../../base/format.ts'
import { parseExactly } from '../../base/json.ts'
import { useKeptText } from '../../base/kept-form.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { CancelButton } from '../../parts/cancel-button.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { edit } from '../../server/edits.ts'
import { tableLabel } from '../../server/names.ts'
import { run } from '../../server/operations.ts'
import { queries } from '../../server/queries.ts'
import { pathOf, useGo } from '../../shell/navigation.tsx'
import type { EventTrigger } from './event-triggers.ts'
import css from './events.module.css'
import { type Bucket, type EventStats, minutesOf } from './stats.ts'

interface TriggerDialogProps {
  readonly trigger: EventTrigger
  /** Opens the form. */
  onChange(): void
  onClose(): void
}

/** One event trigger: its rate, its definition, and the actions on it. */
export function TriggerDialog({ trigger, onChange, onClose }: TriggerDialogProps) {
  const { name, table, isPaused, definition } = trigger
  const canEdit = useStore(readOnly) === null
  const go = useGo()
  const [step, setStep] = useState<'look' | 'delete' | 'invoke'>('look')
  const {
    text: payload,
    change: setPayload,
    draft,
  } = useKeptText(`payload by hand of ${name}`, '{}', { follows: true })
  const { isBusy, error, setError, attempt } = useAttempt()
  const turnTo = (next: typeof step) => {
    setError(null)
    setStep(next)
  }
  const act = (work: () => Promise<unknown>, done: string) =>
    attempt(async () => {
      if ((await work()) === null) return
      await queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('event') })
      toast(done)
      if (step === 'invoke') draft.forget()
      if (step === 'delete') onClose()
      else setStep('look')
    })
  const change = (type: string, verb: string, done: string) =>
    void act(() => edit({ title: `${verb} ${name}`, operations: [{ type, args: { name } }] }), `${done} ${name}`)
  const invoke = () =>
    void act(
      () => run('invoke_event_trigger', { name, payload: parseExactly(payload) }),
      `Sent a payload through ${name}`,
    )
  const close = <Button onClick={onClose}>Close</Button>
  const actions = {
    look: (
      <>
        <Button onClick={() => go(`${pathOf('events', 'log')}?name=${encodeURIComponent(name)}`)}>Open its log</Button>
        {!canEdit && close}
        {canEdit && (
          <>
            <Button look="danger" onClick={() => turnTo('delete')}>
              Delete trigger
            </Button>
            <Button onClick={() => turnTo('invoke')}>Send a payload</Button>
            <Button onClick={onChange}>Change trigger</Button>
            {close}
            <Button
              look="main"
              isBusy={isBusy}
              onClick={() =>
                isPaused
                  ? change('resume_event_trigger', 'Resume', 'Resumed')
                  : change('pause_event_trigger', 'Pause', 'Paused')
              }
            >
              {isPaused ? 'Resume trigger' : 'Pause trigger'}
            </Button>
          </>
        )}
      </>
    ),
    delete: (
      <>
        <Button onClick={() => turnTo('look')}>Cancel</Button>
        <DestroyButton name={name} isBusy={isBusy} onClick={() => change('delete_event_trigger', 'Delete', 'Deleted')}>
          Delete {name}
        </DestroyButton>
      </>
    ),
    invoke: (
      <>
        <CancelButton draft={draft} onClose={() => turnTo('look')} />
        <Button look="main" isBusy={isBusy} onClick={invoke}>
          Send payload
        </Button>
      </>
    ),
  }
  const descriptions = {
    look: `Changes of ${tableLabel(table)}`,
    delete: 'Its triggers in the database are dropped, and its undelivered events are archived.',
    invoke: 'The payload is recorded as a manual event, and delivered as every other one.',
  }
  return (
    <Dialog isOpen isWide title={name} description={descriptions[step]} onClose={onClose} actions={actions[step]}>
      {error !== null && <Failed error={error} />}
      {step === 'look' && (
        <>
          <Rate name={name} />
          <Code label="Definition" language="json" value={JSON.stringify(definition, null, 2)} />
        </>
      )}
      {step === 'invoke' && <DraftNote draft={draft} />}
      {step === 'invoke' && <Code label="Payload" language="json" value={payload} onChange={setPayload} />}
    </Dialog>
  )
}

/** Events by minute of the last hour, as bars and as a table. */
function Rate({ name }: { readonly name: string }) {
  const key = ['event-stats', name]
  const stats = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => run<EventStats>('get_event_stats', { name }, { signal }),
  })
  if (stats.isPending) return <Loading label="Reading the rate" queryKey={key} />
  if (!stats.data) return <Failed error={stats.error} onRetry={() => void stats.refetch()} />
  const { buckets, oldest_pending: oldest } = stats.data
  const most = Math.max(1, ...buckets.map(({ recorded }) => recorded))
  const sum = (pick: (bucket: Bucket) => number) => buckets.reduce((total, each) => total + pick(each), 0)
  return (
    <figure className={css['rate']}>
      <figcaption className={css['line']}>
        <span>Last hour: {sum(({ recorded }) => recorded)} recorded</span>
        <Mark state="good">{sum(({ delivered }) => delivered)} delivered</Mark>
        <Mark state="waiting">{sum(({ pending }) => pending)} pending</Mark>
        <Mark state="bad">{sum((each) => each.error)} failed</Mark>
        {oldest !== null && <span>oldest pending event: {formatTime(oldest)}</span>}
      </figcaption>
      <div className={css['bars']} aria-hidden>
        {minutesOf(buckets).map(({ at, recorded, error }) => (
          <span key={at} title={`${formatTime(at)}: ${recorded}`} style={{ height: `${(recorded / most) * 100}%` }}>
            <span style={{ height: recorded === 0 ? '0' : `${(error / recorded) * 100}%` }} />
          </span>
        ))}
      </div>
      <details>
        <summary>As a table</summary>
        <table className={css['plain']}>
          <thead>
            <tr>
              <th>Minute</th>
              <th>Recorded</th>
              <th>Delivered</th>
              <th>Failed</th>
            </tr>
          </thead>
          <tbody>
            {buckets
              .filter(({ recorded }) => recorded > 0)
              .map(({ at, recorded, delivered, error }) => (
                <tr key={at}>
                  <td>{formatTime(at)}</td>
                  <td>{recorded}</td>
                  <td>{delivered}</td>
                  <td>{error}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
