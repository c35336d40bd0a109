import { useQuery } from '@tanstack/react-query'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { send } from '../../requests/send.ts'
import { isLive } from '../../server/feed.ts'
import { run } from '../../server/operations.ts'
import { useApi } from '../../server/queries.ts'
import css from './events.module.css'
import { formatSpan } from './timeline-data.ts'

interface Job {
  readonly name: string
  readonly per: string
  readonly schedule: string
  readonly paused: boolean
  readonly running: number
  readonly next_run_at: string | null
  readonly last_finished_at: string | null
  readonly runs: number
  readonly failures: number
  readonly failures_in_row: number
  readonly last_error: string | null
}

interface Jobs {
  readonly backend: string
  readonly reachable: boolean | null
  readonly error: string | null
  readonly jobs: readonly Job[]
}

const key = ['jobs']

/** The jobs of the server: schedules, runs and errors. */
export function JobsSection() {
  if (!useApi('developer')) {
    return (
      <Empty title="The list of jobs is closed">
        It belongs to the API <code>developer</code>. Start the server with it in <code>--enabled-apis</code>.
      </Empty>
    )
  }
  return <List />
}

function List() {
  const isFollowed = useStore(isLive)
  const jobs = useQuery({
    queryKey: key,
    refetchInterval: isFollowed ? false : 15_000,
    queryFn: async ({ signal }) => (await send<Jobs>({ name: 'jobs', path: 'dev/jobs', signal })).body,
  })
  const canEdit = useStore(readOnly) === null
  const { error, attempt } = useAttempt()
  if (jobs.isPending) return <Loading label="Reading the jobs" queryKey={key} />
  if (!jobs.data) return <Failed error={jobs.error} onRetry={() => void jobs.refetch()} />
  const { backend, reachable, error: fault, jobs: list } = jobs.data
  const act = (type: string, name: string, done: string) =>
    attempt(async () => {
      await run(type, { name })
      toast(`${done} ${name}`)
      await jobs.refetch()
    })
  const isUnreachable = reachable === false
  return (
    <>
      {(isUnreachable || list.length > 0) && (
        <p className={css['lead']}>
          {isUnreachable ? (
            <Mark state="bad">
              {backend} does not answer: {fault}
            </Mark>
          ) : (
            <span className={css['note']}>
              {plural(list.length, 'job')}, started by {backend}
            </span>
          )}
        </p>
      )}
      {error !== null && <Failed error={error} />}
      {list.length === 0 ? (
        <Empty title="There are no jobs">
          Jobs of the server and its plugins are listed here with their schedules.
        </Empty>
      ) : (
        <Table<Job>
          label="Jobs"
          rows={list}
          rowKey={({ name }) => name}
          leastRowHeight={40}
          columns={[
            {
              key: 'name',
              title: 'Job',
              width: 'minmax(80px, 2fr)',
              cell: ({ name }) => (
                <strong title={name} className={css['lines']}>
                  {name}
                </strong>
              ),
            },
            {
              ...{ key: 'schedule', title: 'Schedule', width: 'minmax(88px, 1fr)', isSecondary: true },
              cell: ({ schedule, per }) => (
                <span title={`once for each ${per}`} className={css['lines']}>
                  {scheduleText(schedule)}
                </span>
              ),
            },
            {
              ...{ key: 'next', title: 'Next run', width: '160px', isSecondary: true },
              cell: ({ next_run_at }) => (next_run_at === null ? '–' : formatTime(next_run_at)),
            },
            { key: 'runs', title: 'Runs', width: '64px', align: 'end', isSecondary: true, cell: ({ runs }) => runs },
            {
              ...{ key: 'state', title: 'State', width: 'minmax(72px, 1fr)' },
              cell: (job) => <State job={job} />,
            },
            ...(canEdit
              ? [
                  {
                    ...{ key: 'actions', title: 'Actions', width: '168px' },
                    cell: ({ name, paused, per }: Job) => (
                      <span className={css['buttons']}>
                        <Button
                          look="quiet"
                          disabled={paused}
                          aria-label={`Run now: ${name}`}
                          onClick={() => void act('run_job_now', name, 'Started')}
                        >
                          Run now
                        </Button>
                        {per === 'cluster' && (
                          <Button
                            look="quiet"
                            aria-label={`${paused ? 'Resume' : 'Pause'}: ${name}`}
                            onClick={() =>
                              void act(paused ? 'resume_job' : 'pause_job', name, paused ? 'Resumed' : 'Paused')
                            }
                          >
                            {paused ? 'Resume' : 'Pause'}
                          </Button>
                        )}
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
    </>
  )
}

/** A schedule as the server says it, with milliseconds in larger units: `every 60 s`. */
const scheduleText = (schedule: string): string =>
  schedule.replace(/^every (\d+) ms$/, (_, millis: string) => `every ${formatSpan(Number(millis))}`)

function State({ job: { paused, running, failures_in_row, last_error } }: { readonly job: Job }) {
  if (paused) return <Mark state="waiting">paused</Mark>
  if (running > 0) return <Mark state="info">running</Mark>
  if (failures_in_row > 0) {
    return (
      <span title={last_error ?? undefined}>
        <Mark state="bad">{plural(failures_in_row, 'failure')}</Mark>
      </span>
    )
  }
  return <Mark state="good">waits</Mark>
}
