import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { facts } from '../../base/facts.ts'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, Field, Select } from '../../parts/field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table, type TableColumn } from '../../parts/table.tsx'
import { readOnly } from '../../requests/mode.ts'
import { isLive } from '../../server/feed.ts'
import { run } from '../../server/operations.ts'
import { metadataQuery } from '../../server/queries.ts'
import { pathOf, useGo, useUrlChange, useUrlState } from '../../shell/navigation.tsx'
import { eventTriggersOf, type LoggedEvent, stateOf, utc } from './event-triggers.ts'
import css from './events.module.css'
import { LogFilterFault, payloadFilter, sessionFilter } from './log-filter.ts'
import { type EventFilter, RedeliverDialog } from './redeliver-dialog.tsx'

/** Events of a page of the log. */
const pageSize = 100

/** The log of an event trigger. */
export function LogSection() {
  const metadata = useQuery(metadataQuery)
  const triggers = useMemo(() => (metadata.data ? eventTriggersOf(metadata.data) : []), [metadata.data])
  const [given, setName] = useUrlState('name')
  if (metadata.isPending) return <Loading label="Reading the triggers" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  const name = given || triggers[0]?.name
  if (name === undefined) {
    return <Empty title="There are no event triggers">Events appear here once a trigger records them.</Empty>
  }
  return <Log key={name} name={name} names={triggers.map((each) => each.name)} onName={setName} />
}

interface GivenFilter {
  readonly filter: EventFilter
  /** The faults of the texts that are not filters yet. */
  readonly faults: { readonly where: string | null; readonly session: string | null }
}

function readOr<T>(read: () => T): readonly [T | undefined, string | null] {
  try {
    return [read(), null]
  } catch (error) {
    if (error instanceof LogFilterFault) return [undefined, error.message]
    throw error
  }
}

/** The filter of the address. */
function useEventFilter(): GivenFilter {
  const [status] = useUrlState('status')
  const [op] = useUrlState('op')
  const [from] = useUrlState('from')
  const [to] = useUrlState('to')
  const [where] = useUrlState('where')
  const [session] = useUrlState('session')
  const [payload, whereFault] = readOr(() => payloadFilter(where, op))
  const [variables, sessionFault] = readOr(() => sessionFilter(session, facts.variablePrefix))
  const time = (text: string) => (Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString())
  const parts = {
    ...{ status: status || undefined, op: op || undefined, from: time(from), to: time(to), where: payload },
    session: variables,
  }
  const filter = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as EventFilter
  return { filter, faults: { where: whereFault, session: sessionFault } }
}

interface LogProps {
  readonly name: string
  readonly names: readonly string[]
  onName(name: string): void
}

function Log({ name, names, onName }: LogProps) {
  const { filter, faults } = useEventFilter()
  const canEdit = useStore(readOnly) === null
  const isFollowed = useStore(isLive)
  const go = useGo()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [question, setQuestion] = useState<'selected' | 'matching' | null>(null)
  const key = ['events', name, filter]
  const log = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) =>
      run<readonly LoggedEvent[]>(
        'pg_get_event_logs',
        { name, ...filter, limit: pageSize, ...(after !== undefined && { after }) },
        { signal },
      ),
    getNextPageParam: (last) => (last.length === pageSize ? last.at(-1)?.id : undefined),
  })
  const events = log.data?.pages.flat() ?? []
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }
  return (
    <>
      <Filters name={name} names={names} onName={onName} faults={faults} />
      {log.isPending && <Loading label="Reading the log" queryKey={key} />}
      {log.isError && <Failed error={log.error} onRetry={() => void log.refetch()} />}
      {log.data && events.length === 0 && (
        <Empty title="No event matches">Events of {name} appear here when rows change.</Empty>
      )}
      {events.length > 0 && (
        <>
          <Table<LoggedEvent>
            label="Events"
            rows={events}
            rowKey={({ id }) => id}
            isSelected={({ id }) => selected.has(id)}
            onOpen={({ id }) => go(pathOf('events', 'log', id))}
            columns={columnsOf({ canEdit, selected, toggle })}
          />
          <div className={css['foot']}>
            <span className={css['note']}>
              {plural(events.length, 'event')} read{isFollowed && ', new ones appear by themselves'}
            </span>
            {log.hasNextPage && (
              <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                Read {pageSize} more
              </Button>
            )}
            <Space />
            {canEdit && (
              <>
                {selected.size > 0 && (
                  <Button onClick={() => setQuestion('selected')}>Redeliver {plural(selected.size, 'event')}</Button>
                )}
                <Button onClick={() => setQuestion('matching')}>Redeliver all that match</Button>
              </>
            )}
          </div>
        </>
      )}
      {question && (
        <RedeliverDialog
          name={name}
          filter={filter}
          ids={question === 'selected' ? [...selected] : null}
          onClose={() => {
            setQuestion(null)
            setSelected(new Set())
          }}
        />
      )}
    </>
  )
}

interface ColumnsOptions {
  readonly canEdit: boolean
  readonly selected: ReadonlySet<string>
  toggle(id: string): void
}

const columnsOf = ({ canEdit, selected, toggle }: ColumnsOptions): readonly TableColumn<LoggedEvent>[] => [
  ...(canEdit
    ? [
        {
          ...{ key: 'select', title: 'Select', width: '58px' },
          cell: ({ id }: LoggedEvent) => (
            <Checkbox
              label={`Select event ${id}`}
              isLabelHidden
              checked={selected.has(id)}
              onChange={() => toggle(id)}
            />
          ),
        },
      ]
    : []),
  {
    key: 'at',
    title: 'Recorded',
    width: 'minmax(160px, 192px)',
    cell: ({ created_at }) => formatTime(utc(created_at)),
  },
  { key: 'op', title: 'Operation', width: '88px', isSecondary: true, cell: ({ payload }) => payload?.op ?? '' },
  {
    ...{ key: 'state', title: 'State', width: 'minmax(100px, 136px)' },
    cell: (event) => {
      const [state, word] = stateOf(event)
      return <Mark state={state}>{word}</Mark>
    },
  },
  { key: 'tries', title: 'Attempts', width: '80px', align: 'end', isSecondary: true, cell: ({ tries }) => tries },
  {
    ...{ key: 'payload', title: 'Payload', width: 'minmax(160px, 1fr)', isSecondary: true },
    cell: ({ payload }) => <code>{JSON.stringify(payload?.['data'] ?? payload)?.slice(0, 300)}</code>,
  },
]

function Filters({ name, names, onName, faults }: LogProps & Pick<GivenFilter, 'faults'>) {
  const [status, setStatus] = useUrlState('status')
  const [op, setOp] = useUrlState('op')
  const [from, setFrom] = useUrlState('from')
  const [to, setTo] = useUrlState('to')
  const [where, setWhere] = useUrlState('where')
  const [session, setSession] = useUrlState('session')
  const change = useUrlChange()
  const hasFilter = [status, op, from, to, where, session].some((each) => each !== '')
  return (
    <Toolbar label="Filter">
      <div className={css['choice']}>
        <Select<string>
          label="Trigger"
          value={name}
          options={[...new Set([...names, name])].map((each) => ({ value: each, label: each }))}
          onChange={onName}
        />
      </div>
      <div className={css['choice']}>
        <Select<string>
          label="State"
          value={status}
          options={[
            { value: '', label: 'All states' },
            ...['pending', 'processed', 'delivered', 'error', 'archived'].map((value) => ({ value, label: value })),
          ]}
          onChange={setStatus}
        />
      </div>
      <div className={css['choice']}>
        <Select<string>
          label="Operation"
          value={op}
          options={[
            { value: '', label: 'All operations' },
            ...['INSERT', 'UPDATE', 'DELETE', 'MANUAL'].map((value) => ({ value, label: value })),
          ]}
          onChange={setOp}
        />
      </div>
      <Field label="From" type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} />
      <Field label="To" type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
      <div className={css['filter']}>
        <Field
          label="The row has"
          isCode
          data-filter
          placeholder="name = Rock and old.id = 4"
          value={where}
          error={faults.where}
          onChange={(event) => setWhere(event.target.value)}
        />
      </div>
      <div className={css['filter']}>
        <Field
          label="The session has"
          isCode
          placeholder="role = clerk and user-id = 2"
          value={session}
          error={faults.session}
          onChange={(event) => setSession(event.target.value)}
        />
      </div>
      {hasFilter && (
        <Button look="quiet" onClick={() => change({ status: '', op: '', from: '', to: '', where: '', session: '' })}>
          Show all events
        </Button>
      )}
    </Toolbar>
  )
}
