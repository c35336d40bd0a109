import { useQueries, useQuery } from '@tanstack/react-query'
import { formatCount, formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Mark } from '../../parts/mark.tsx'
import { Section } from '../../parts/page.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { Failed } from '../../parts/states.tsx'
import { send } from '../../requests/send.ts'
import { isLive } from '../../server/feed.ts'
import { run } from '../../server/operations.ts'
import { metadataQuery, tablesOf, useApi } from '../../server/queries.ts'
import { To } from '../../shell/navigation.tsx'
import css from './now.module.css'

/** Triggers that are asked about; the page Events has all. */
const mostTriggers = 8
/** Milliseconds between two reads without the news of the server. */
const refetchInterval = 20_000

interface Bucket {
  readonly at: string
  readonly recorded: number
  readonly error: number
  readonly pending: number
}

const statsQuery = (name: string) => ({
  queryKey: ['event-stats', name, 'hours'],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const args = { name, bucket: 'hour' }
    const options = { signal, isRepeated: true }
    return (await run<{ readonly buckets: readonly Bucket[] }>('get_event_stats', args, options)).buckets
  },
})

const sum = (buckets: readonly Bucket[], member: 'recorded' | 'error' | 'pending'): number =>
  buckets.reduce((total, bucket) => total + bucket[member], 0)

/** Events and jobs: the news of the server tell when to read them again. */
export function Background() {
  const metadata = useQuery(metadataQuery)
  const isFollowed = useStore(isLive)
  const names = (metadata.data ? tablesOf(metadata.data) : []).flatMap((entry) =>
    ((entry['event_triggers'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name),
  )
  const asked = names.slice(0, mostTriggers)
  const repeated = { refetchInterval: isFollowed ? (false as const) : refetchInterval }
  const stats = useQueries({ queries: asked.map((name) => ({ ...statsQuery(name), ...repeated })) })
  const failed = stats.find(({ isError }) => isError)
  return (
    <>
      {asked.length > 0 && (
        <Section title="Events of the last 60 hours" actions={<To path="events">All triggers</To>}>
          {failed && <Failed error={failed.error} onRetry={() => void failed.refetch()} />}
          <SmallTable
            hasCards
            label="Events"
            heads={['Trigger', 'Recorded', 'Failed', 'Pending', 'Oldest pending']}
            className={css['table']}
          >
            {asked.map((name, at) => {
              const buckets = stats[at]?.data ?? []
              const oldest = buckets
                .filter(({ pending }) => pending > 0)
                .map((bucket) => bucket.at)
                .sort()[0]
              const errors = sum(buckets, 'error')
              return (
                <tr key={name}>
                  <td data-head="Trigger">
                    <To path={`events/log?name=${encodeURIComponent(name)}`}>{name}</To>
                  </td>
                  <td data-head="Recorded">{formatCount(sum(buckets, 'recorded'))}</td>
                  <td data-head="Failed">{errors === 0 ? '0' : <Mark state="bad">{formatCount(errors)}</Mark>}</td>
                  <td data-head="Pending">{formatCount(sum(buckets, 'pending'))}</td>
                  <td data-head="Oldest pending">{oldest === undefined ? '–' : `from ${formatTime(oldest)}`}</td>
                </tr>
              )
            })}
          </SmallTable>
          {names.length > asked.length && <p>and {plural(names.length - asked.length, 'more trigger')}</p>}
        </Section>
      )}
      <Jobs isFollowed={isFollowed} />
    </>
  )
}

interface Job {
  readonly name: string
  readonly paused: boolean
  readonly failures_in_row: number
  readonly last_error: string | null
}

/** Jobs that fail; those that do well are one line. */
function Jobs({ isFollowed }: { readonly isFollowed: boolean }) {
  const isOpen = useApi('developer')
  const jobs = useQuery({
    ...{ queryKey: ['jobs'], enabled: isOpen, refetchInterval: isFollowed ? false : refetchInterval },
    queryFn: async ({ signal }) =>
      (await send<{ readonly jobs: readonly Job[] }>({ name: 'jobs', path: 'dev/jobs', isRepeated: true, signal }))
        .body,
  })
  const list = jobs.data?.jobs ?? []
  if (list.length === 0) return null
  const failing = list.filter(({ failures_in_row }) => failures_in_row > 0)
  return (
    <Section title="Jobs" actions={<To path="events/jobs">All jobs</To>}>
      {failing.length === 0 ? (
        <Mark state="good">{plural(list.length, 'job')} without failures</Mark>
      ) : (
        <ul className={css['problems']}>
          {failing.map(({ name, failures_in_row: failures, last_error: reason }) => (
            <li key={name}>
              <Mark state="bad">{name}</Mark> failed {plural(failures, 'time')} in a row: {reason}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
