import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime, plural } from '../../base/format.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { run } from '../../server/operations.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './remote.module.css'

/** A call of an asynchronous action. */
interface Call {
  readonly id: string
  readonly action: string
  readonly status: string
  readonly created_at: string
  readonly response_received_at: string | null
  readonly session_variables: unknown
  readonly input: unknown
  readonly output: unknown
  readonly errors: unknown
}

/** Calls that one request reads. */
const pageCalls = 100

const states = ['created', 'processing', 'completed', 'error'] as const

const marks = { completed: 'good', error: 'bad', processing: 'info', created: 'waiting' } as const

const markOf = (status: string) => marks[status as keyof typeof marks] ?? 'off'

/** The log of asynchronous calls. */
export function CallsSection() {
  const [status, setStatus] = useUrlState('status')
  const [action, setAction] = useUrlState('of')
  const [opened, setOpened] = useState<Call | null>(null)
  const key = ['action-calls', status, action]
  const calls = useInfiniteQuery({
    queryKey: key,
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) =>
      run<readonly Call[]>(
        'get_action_logs',
        {
          ...(status !== '' && { status }),
          ...(action.trim() !== '' && { action: action.trim() }),
          ...{ limit: pageCalls, ...(after !== undefined && { after }) },
        },
        { signal },
      ),
    getNextPageParam: (page) => (page.length < pageCalls ? undefined : page.at(-1)?.id),
  })
  const all = calls.data?.pages.flat() ?? []
  return (
    <>
      <Toolbar label="Filter">
        <div className={css['filter']}>
          <FilterField label="Action" value={action} onChange={setAction} />
        </div>
        <div className={css['choice']}>
          <Select<string>
            label="State"
            isLabelHidden
            value={status}
            options={[{ value: '', label: 'All states' }, ...states.map((each) => ({ value: each, label: each }))]}
            onChange={setStatus}
          />
        </div>
        <Space />
        <Button isBusy={calls.isFetching} onClick={() => void calls.refetch()}>
          Refresh
        </Button>
      </Toolbar>
      {calls.isPending && <Loading label="Reading the calls" queryKey={key} />}
      {calls.isError && <Failed error={calls.error} onRetry={() => void calls.refetch()} />}
      {calls.data && all.length === 0 && (
        <Empty title="There are no calls">Calls of asynchronous actions are listed here with their results.</Empty>
      )}
      {all.length > 0 && (
        <Table<Call>
          label="Calls"
          rows={all}
          rowKey={({ id }) => id}
          onOpen={setOpened}
          columns={[
            {
              ...{ key: 'status', title: 'State', width: '120px' },
              cell: (call) => <Mark state={markOf(call.status)}>{call.status}</Mark>,
            },
            {
              ...{ key: 'action', title: plural(all.length, 'call'), width: 'minmax(120px, 1fr)' },
              cell: ({ action: name }) => <strong>{name}</strong>,
            },
            {
              ...{ key: 'at', title: 'Called', width: '200px', isSecondary: true },
              cell: ({ created_at: at }) => formatTime(at),
            },
            {
              ...{ key: 'input', title: 'Arguments', width: 'minmax(120px, 2fr)', isSecondary: true },
              cell: ({ input }) => <code>{JSON.stringify(input).slice(0, 200)}</code>,
            },
          ]}
        />
      )}
      {calls.hasNextPage && (
        <footer className={css['foot']}>
          <Button isBusy={calls.isFetchingNextPage} onClick={() => void calls.fetchNextPage()}>
            Show earlier calls
          </Button>
        </footer>
      )}
      {opened && <CallDialog call={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

const CallDialog = ({ call, onClose }: { readonly call: Call; onClose(): void }) => {
  const parts: readonly (readonly [title: string, value: unknown])[] = [
    ['Arguments', call.input],
    ['Session variables', call.session_variables],
    call.errors === null ? ['Result', call.output] : ['Error', call.errors],
  ]
  return (
    <Dialog
      isOpen
      isWide
      title={`A call of ${call.action}`}
      description={
        <>
          <Mark state={markOf(call.status)}>{call.status}</Mark> <code>{call.id}</code>
        </>
      }
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <p className={css['note']}>
        Called {formatTime(call.created_at)}
        {call.response_received_at !== null && `, ended ${formatTime(call.response_received_at)}`}
      </p>
      {parts.map(([title, value]) => (
        <section key={title} aria-label={title}>
          <p className={css['label']}>{title}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
          <pre className={css['value']} tabIndex={0}>
            {JSON.stringify(value, null, 2)}
          </pre>
        </section>
      ))}
    </Dialog>
  )
}
