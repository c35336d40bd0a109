// Events of triggers by the time of their recording.

import { useQuery } from '@tanstack/react-query'
import { run } from '../../server/operations.ts'

/** Events that were recorded in one minute or hour, by their state. */
export interface Bucket {
  readonly at: string
  readonly recorded: number
  readonly delivered: number
  readonly error: number
  readonly pending: number
}

const minute = 60_000

/** The last 60 minutes, also those without events. */
export function minutesOf(buckets: readonly Bucket[]): readonly Bucket[] {
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]))
  const last = Math.max(Math.floor(Date.now() / minute) * minute, ...known.keys())
  return Array.from({ length: 60 }, (_, at) => {
    const time = last - (59 - at) * minute
    const none = { at: new Date(time).toISOString(), recorded: 0, delivered: 0, error: 0, pending: 0 }
    return known.get(time) ?? none
  })
}

/** The answer of `get_event_stats`. */
export interface EventStats {
  readonly buckets: readonly Bucket[]
  /** When the first event that is not delivered yet was recorded. */
  readonly oldest_pending: string | null
}

/** The last hour of a trigger. */
export interface TriggerRate {
  readonly recorded: number
  readonly failed: number
  readonly oldestPending: string | null
}

/** Triggers whose rates are read: each costs a look at an hour of its events. */
const mostRates = 50

const hour = 3_600_000

/** The rates of triggers by their names, read by one request. */
export function useRates(names: readonly string[]): ReadonlyMap<string, TriggerRate> | undefined {
  const asked = names.slice(0, mostRates)
  const { data } = useQuery({
    queryKey: ['event-stats', 'all', asked],
    enabled: asked.length > 0,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - hour).toISOString()
      const operations = asked.map((name) => ({ type: 'get_event_stats', args: { name, from } }))
      // A trigger may have been removed since.
      const answers = await run<readonly Partial<EventStats>[]>('bulk_keep_going', operations, { signal })
      return new Map(asked.map((name, at) => [name, rateOf(answers[at])]))
    },
  })
  return data
}

function rateOf({ buckets = [], oldest_pending: oldestPending = null }: Partial<EventStats> = {}): TriggerRate {
  const sum = (pick: (bucket: Bucket) => number) => buckets.reduce((total, bucket) => total + pick(bucket), 0)
  return { recorded: sum(({ recorded }) => recorded), failed: sum(({ error }) => error), oldestPending }
}
