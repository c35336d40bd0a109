import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { run } from '../../server/operations.ts'
import { Attempts } from './attempts.tsx'
import { type Invocation, utc } from './event-triggers.ts'
import css from './events.module.css'

/** An occurrence of a cron trigger, or a one-off event. */
export interface ScheduledEvent {
  readonly id: string
  readonly scheduled_time: string
  readonly status: string
  readonly tries: number
  readonly webhook_conf?: unknown
  readonly payload?: unknown
  readonly comment?: string | null
}

interface EventsArgs {
  readonly type: 'cron' | 'one_off'
  readonly trigger_name?: string
  readonly status: readonly string[]
}

/** Events of a page. */
const pageSize = 100

const marks = { scheduled: 'waiting', locked: 'info', delivered: 'good', error: 'bad', dead: 'off' } as const

/** Scheduled events by the time at which they are due. */
export function ScheduledEvents({ args, none }: { readonly args: EventsArgs; readonly none?: string }) {
  const key = ['scheduled-events', args]
  const [open, setOpen] = useState<ScheduledEvent | null>(null)
  const events = useInfiniteQuery({
    queryKey: key,
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      run<{ events: readonly ScheduledEvent[] }>(
        'get_scheduled_events',
        { ...args, limit: pageSize, offset },
        { signal },
      ),
    getNextPageParam: (last, pages) => (last.events.length === pageSize ? pages.length * pageSize : undefined),
  })
  if (events.isPending) return <Loading label="Reading the events" queryKey={key} />
  if (!events.data) return <Failed error={events.error} onRetry={() => void events.refetch()} />
  const all = events.data.pages.flatMap((page) => page.events)
  if (all.length === 0 && none !== undefined) return <p className={css['note']}>{none}</p>
  if (all.length === 0) return <Empty title="There are no such events">Others may be in another state.</Empty>
  const isOnce = args.type === 'one_off'
  return (
    <div className={css['list']}>
      <Table<ScheduledEvent>
        label="Scheduled events"
        rows={all}
        rowKey={({ id }) => id}
        onOpen={setOpen}
        columns={[
          {
            ...{ key: 'due', title: 'Due', width: '192px' },
            cell: ({ scheduled_time }) => formatTime(utc(scheduled_time)),
          },
          {
            ...{ key: 'status', title: 'State', width: '112px' },
            cell: ({ status }) => <Mark state={marks[status as keyof typeof marks] ?? 'info'}>{status}</Mark>,
          },
          {
            key: 'tries',
            title: 'Attempts',
            width: '80px',
            align: 'end',
            isSecondary: true,
            cell: ({ tries }) => tries,
          },
          ...(isOnce
            ? [
                {
                  ...{ key: 'webhook', title: 'Webhook', width: 'minmax(160px, 1fr)', isSecondary: true },
                  cell: ({ webhook_conf }: ScheduledEvent) => (
                    <code>{typeof webhook_conf === 'string' ? webhook_conf : JSON.stringify(webhook_conf)}</code>
                  ),
                },
              ]
            : []),
        ]}
      />
      {events.hasNextPage && (
        <div className={css['foot']}>
          <Button isBusy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
            Read {pageSize} more
          </Button>
        </div>
      )}
      {open && (
        <ScheduledDialog
          event={open}
          kind={args.type}
          onClose={(isChanged) => {
            setOpen(null)
            if (isChanged) void events.refetch()
          }}
        />
      )}
    </div>
  )
}

interface ScheduledDialogProps {
  readonly event: ScheduledEvent
  readonly kind: 'cron' | 'one_off'
  onClose(isChanged: boolean): void
}

function ScheduledDialog({ event, kind, onClose }: ScheduledDialogProps) {
  const key = ['scheduled-attempts', kind, event.id]
  const canEdit = useStore(readOnly) === null
  const { isBusy, error, attempt } = useAttempt()
  const attempts = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      run<{ invocations: readonly Invocation[] }>(
        'get_event_invocations',
        { type: kind, event_id: event.id },
        { signal },
      ),
  })
  const remove = () =>
    attempt(async () => {
      await run('delete_scheduled_event', { type: kind, event_id: event.id })
      toast('Deleted the event')
      onClose(true)
    })
  return (
    <Dialog
      isOpen
      isWide
      title={`Event due ${formatTime(utc(event.scheduled_time))}`}
      description={event.comment ?? <code>{event.id}</code>}
      onClose={() => onClose(false)}
      actions={
        <>
          {canEdit && (
            <DestroyButton name={event.id.slice(0, 8)} isBusy={isBusy} onClick={() => void remove()}>
              Delete event
            </DestroyButton>
          )}
          <Button onClick={() => onClose(false)}>Close</Button>
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      {event.payload !== undefined && <pre className={css['value']}>{JSON.stringify(event.payload, null, 2)}</pre>}
      {attempts.isPending && <Loading label="Reading the attempts" queryKey={key} />}
      {attempts.isError && <Failed error={attempts.error} onRetry={() => void attempts.refetch()} />}
      {attempts.data && <Attempts invocations={attempts.data.invocations} />}
    </Dialog>
  )
}
