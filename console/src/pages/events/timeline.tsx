import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Body, Page } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { readOnly } from '../../requests/mode.ts'
import { isLive } from '../../server/feed.ts'
import { run } from '../../server/operations.ts'
import { queries, useConfig } from '../../server/queries.ts'
import { pathOf, To, useNames } from '../../shell/navigation.tsx'
import { utc } from './event-triggers.ts'
import { InvokeDialog } from './invoke-dialog.tsx'
import css from './timeline.module.css'
import {
  formatSpan,
  readTimeline,
  type Timeline as TimelineData,
  type TimelineEvent,
  type TimelineRequest,
  timelineOf,
  traceOf,
} from './timeline-data.ts'
import { AttemptDetails, Change } from './timeline-parts.tsx'

/** Milliseconds between reads of an event that is not finished, while the server sends no news. */
const pollMillis = 5000

const titleOf = ({ op, schema_name, table_name }: TimelineEvent): string =>
  `${op ?? 'Event'} of ${schema_name === 'public' ? '' : `${schema_name}.`}${table_name}`

/** One line from a request to the rows that it changed, their events, and each attempt to deliver them. */
export default function Timeline() {
  const { id = '' } = useNames()
  const isFollowed = useStore(isLive)
  const key = ['events', 'one', id]
  const found = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => timelineOf(id, signal),
    refetchInterval: ({ state }) =>
      !isFollowed && state.data?.events.some(({ state }) => state === 'pending') ? pollMillis : false,
  })
  if (found.isPending) {
    return (
      <Page title="Event">
        <Loading label="Reading the timeline" queryKey={key} />
      </Page>
    )
  }
  if (found.data === undefined) {
    return (
      <Page title="Event">
        <Failed error={found.error} onRetry={() => void found.refetch()} />
      </Page>
    )
  }
  if (found.data === null) {
    return (
      <Page title="Event">
        <Empty title="No event or request has this id" actions={<To path="events/log">Open the log</To>}>
          Events are removed when they are old, and requests are looked for in the last day.
        </Empty>
      </Page>
    )
  }
  return <Found id={id} timeline={found.data} />
}

function Found({ id, timeline: { request, events } }: { readonly id: string; readonly timeline: TimelineData }) {
  const [only] = events
  const isOne = events.length === 1 && only !== undefined
  return (
    <Page
      title={isOne ? titleOf(only) : plural(events.length, 'event')}
      note={
        <>
          {isOne ? `Sent by ${only.trigger_name}` : 'Of one request'} <code>{id}</code>
        </>
      }
      actions={isOne && <Actions event={only} />}
    >
      <Body>
        <ol className={css['line']} aria-label="Timeline">
          <RequestStep request={request} />
          {isOne && <Steps event={only} />}
        </ol>
        {!isOne &&
          events.map((event) => (
            <section key={event.id} aria-label={`${titleOf(event)}, ${event.id}`}>
              <h2 className={css['heading']}>
                <To path={pathOf('events', 'log', event.id)}>{titleOf(event)}</To>
              </h2>
              <ol className={css['line']}>
                <Steps event={event} />
              </ol>
            </section>
          ))}
        {isOne && request?.id && <Others request={request.id} event={only} />}
      </Body>
    </Page>
  )
}

interface StepProps {
  readonly title: ReactNode
  readonly state: 'good' | 'bad' | 'waiting' | 'off' | 'info'
  readonly time?: ReactNode
  readonly children?: ReactNode
}

const Step = ({ title, state, time, children }: StepProps) => (
  <li className={css['step']} data-state={state}>
    <div className={css['head']}>
      <strong className={css['title']}>{title}</strong>
      {time && <span className={css['time']}>{time}</span>}
    </div>
    {children && <div className={css['detail']}>{children}</div>}
  </li>
)

interface SeenRequest {
  readonly at: string
  readonly method: string
  readonly endpoint: string
  readonly operation_name: string | null
  readonly status: number
  readonly seconds: number
}

/** The request as the server remembers it, where its API is open. */
function useSeen(id: string | null): SeenRequest | undefined {
  const isOpen = useConfig()?.apis.enabled.includes('developer') === true
  const { data } = useQuery({
    queryKey: ['recent-request', id],
    enabled: isOpen && id !== null,
    queryFn: ({ signal }) =>
      run<{ requests: readonly SeenRequest[] }>('get_recent_requests', { request_id: id, limit: 1 }, { signal }),
  })
  return data?.requests[0]
}

function RequestStep({ request }: { readonly request: TimelineRequest | null }) {
  const seen = useSeen(request?.id ?? null)
  if (!request) return <Step state="off" title="Another program changed the row" />
  const trace = traceOf(request.trace_context)
  const variables = Object.entries(request.session_variables ?? {})
  return (
    <Step state="good" title="Request" time={seen && formatTime(seen.at)}>
      <p className={css['facts']}>
        {request.role !== null && (
          <span>
            as <strong className={request.role === 'admin' ? undefined : css['role']}>{request.role}</strong>
          </span>
        )}
        {seen?.operation_name != null && (
          <span>
            operation <code>{seen.operation_name}</code>
          </span>
        )}
        {seen && (
          <span>
            {seen.method} <code>{seen.endpoint}</code>, status {seen.status}, {formatSpan(seen.seconds * 1000)}
          </span>
        )}
        {request.id !== null && (
          <span>
            id <code>{request.id}</code>
          </span>
        )}
        {trace !== null && (
          <span>
            trace <code>{trace}</code>
          </span>
        )}
      </p>
      {variables.length > 0 && (
        <details>
          <summary>{plural(variables.length, 'session variable')}</summary>
          <ul>
            {variables.map(([name, value]) => (
              <li key={name}>
                <code>
                  {name}: {String(value)}
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Step>
  )
}

function Steps({ event }: { readonly event: TimelineEvent }) {
  const { op, schema_name, table_name, created_at, attempts } = event
  const recorded = Date.parse(utc(created_at))
  const table = <To path={pathOf('data', schema_name, table_name, 'rows')}>{table_name}</To>
  return (
    <>
      <Step
        state="good"
        title={op === 'MANUAL' ? 'Payload sent by hand' : <>Row of {table} changed</>}
        time={formatTime(utc(created_at))}
      >
        <Change event={event} />
      </Step>
      <Step state="good" title="Event recorded">
        <p className={css['facts']}>
          <span>
            <To path={`${pathOf('events', 'log')}?name=${encodeURIComponent(event.trigger_name)}`}>
              {event.trigger_name}
            </To>
          </span>
          <span>
            id <code>{event.id}</code>
          </span>
        </p>
      </Step>
      {attempts.map((attempt, index) => {
        const { id, status, created_at: at } = attempt
        const before = attempts[index - 1]?.created_at
        const since = Date.parse(utc(at)) - (before === undefined ? recorded : Date.parse(utc(before)))
        const isGood = status !== null && status >= 200 && status < 300
        const told = status === null || status >= 1000 ? 'no answer' : `status ${status}`
        return (
          <Step
            key={id}
            state={isGood ? 'good' : 'bad'}
            title={`Attempt ${index + 1}: ${told}`}
            time={`${formatSpan(since)} after the ${before === undefined ? 'event' : 'attempt before'}`}
          >
            <AttemptDetails attempt={attempt} />
          </Step>
        )
      })}
      <End event={event} />
    </>
  )
}

/** The time that goes on while something waits for it. */
function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isNeeded) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isNeeded])
  return now
}

/** Where the event is now. */
function End({ event: { state, tries, locked, next_retry_at, is_waiting } }: { readonly event: TimelineEvent }) {
  const due = next_retry_at === null ? null : Date.parse(utc(next_retry_at))
  const now = useNow(state === 'pending' && due !== null)
  if (state === 'delivered') return <Step state="good" title="Delivered" />
  if (state === 'error') return <Step state="bad" title={`Given up after ${plural(tries, 'attempt')}`} />
  if (state === 'archived') return <Step state="off" title="Archived: its trigger was deleted" />
  if (locked !== null) return <Step state="info" title="Being delivered" />
  if (is_waiting)
    return (
      <Step state="waiting" title="Waits: its trigger is paused, or an earlier event of its key is not delivered" />
    )
  if (due === null || due <= now) return <Step state="waiting" title="In the queue, due now" />
  return (
    <Step
      state="waiting"
      title={<span role="timer">Next attempt in {formatSpan(Math.ceil((due - now) / 1000) * 1000)}</span>}
      time={formatTime(utc(next_retry_at ?? ''))}
    />
  )
}

function Others({ request, event }: { readonly request: string; readonly event: TimelineEvent }) {
  const at = Date.parse(utc(event.created_at))
  const hour = 3_600_000
  const period = { from: new Date(at - hour).toISOString(), to: new Date(at + hour).toISOString() }
  const found = useQuery({
    queryKey: ['events', 'one', event.id, 'others'],
    queryFn: ({ signal }) => readTimeline({ request_id: request, ...period }, signal),
  })
  const others = found.data?.events.filter(({ id }) => id !== event.id) ?? []
  if (found.isError) return <Failed error={found.error} onRetry={() => void found.refetch()} />
  if (others.length === 0) return null
  return (
    <section aria-label="Other events of the request">
      <h2 className={css['heading']}>{plural(others.length, 'other event')} of the request</h2>
      <ul className={css['others']}>
        {others.map((each) => (
          <li key={each.id}>
            <To path={pathOf('events', 'log', each.id)}>
              {titleOf(each)}, {each.trigger_name}
            </To>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Actions({ event }: { readonly event: TimelineEvent }) {
  const canEdit = useStore(readOnly) === null
  const [isSending, setSending] = useState(false)
  const [isBusy, setBusy] = useState(false)
  if (!canEdit) return null
  const redeliver = async () => {
    setBusy(true)
    try {
      await run('redeliver_event', { event_id: event.id })
      await queries.invalidateQueries({ queryKey: ['events'] })
      toast('The event will be delivered again')
    } catch (failure) {
      toast(`It is not delivered again: ${failure instanceof Error ? failure.message : failure}`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button onClick={() => setSending(true)}>Edit and send again</Button>
      <Button look="main" isBusy={isBusy} onClick={() => void redeliver()}>
        Redeliver event
      </Button>
      {isSending && <InvokeDialog name={event.trigger_name} payload={event.data} onClose={() => setSending(false)} />}
    </>
  )
}
