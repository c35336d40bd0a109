// The measures of the page, from the server's answers.

import { queryOptions } from '@tanstack/react-query'
import { send } from '../../requests/send.ts'
import { isLive } from '../../server/feed.ts'
import { run } from '../../server/operations.ts'

/** Milliseconds between two reads while the page is visible. */
const refetchInterval = 5000

/** A request that the server remembers. */
export interface RecentRequest {
  readonly request_id: string
  readonly at: string
  readonly method: string
  readonly endpoint: string
  readonly operation_name: string | null
  readonly role: string | null
  readonly status: number
  readonly code: string | null
  readonly seconds: number
}

/** The last requests of the instance; the API `developer` opens it. */
export const recentQuery = queryOptions({
  queryKey: ['now', 'recent'],
  refetchInterval,
  queryFn: async ({ signal }) => {
    const args = { limit: 1000 }
    const { requests } = await run<{ requests: readonly RecentRequest[] }>('get_recent_requests', args, {
      ...{ signal, isRepeated: true },
    })
    return requests
  },
})

type Counters = { readonly [name: string]: Counters | { readonly type: string; readonly val: number } }

/** Counters of the process; the API `developer` opens it. */
export const countersQuery = queryOptions({
  queryKey: ['now', 'counters'],
  refetchInterval,
  queryFn: async ({ signal }) => {
    const { body } = await send<Counters>({ name: 'dev/ekg', path: 'dev/ekg', isRepeated: true, signal })
    return body
  },
})

/** The number at a path of the counters; undefined: the server has no such counter. */
export function counterAt(counters: Counters | undefined, path: string): number | undefined {
  const found = path.split('.').reduce<unknown>((inner, name) => (inner as Counters | undefined)?.[name], counters)
  const value = (found as { val?: unknown } | undefined)?.val
  return typeof value === 'number' ? value : undefined
}

/** An object of the metadata that is not served. */
interface Inconsistent {
  readonly type: string
  readonly definition: unknown
  readonly reason: string
}

/** Objects of the metadata that are not served. */
export const inconsistentQuery = queryOptions({
  queryKey: ['now', 'inconsistent'],
  // The news of the server tell when to read them again.
  refetchInterval: () => (isLive.get() ? false : 4 * refetchInterval),
  queryFn: async ({ signal }) => {
    const answer = await run<{ readonly inconsistent_objects: readonly Inconsistent[] }>(
      'get_inconsistent_metadata',
      {},
      { signal, isRepeated: true },
    )
    return answer.inconsistent_objects
  },
})

/** The requests of one endpoint. */
export interface EndpointMeasures {
  readonly endpoint: string
  readonly count: number
  readonly errors: number
  /** Milliseconds. */
  readonly median: number
  readonly p95: number
}

const isError = ({ status, code }: RecentRequest): boolean => status >= 400 || code !== null

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** The measures of some requests. */
export function measuresOf(endpoint: string, requests: readonly RecentRequest[]): EndpointMeasures {
  const millis = requests.map(({ seconds }) => seconds * 1000).sort((a, b) => a - b)
  const errors = requests.filter(isError).length
  return { endpoint, count: requests.length, errors, median: quantile(millis, 0.5), p95: quantile(millis, 0.95) }
}

/** The measures by endpoint, the busiest first. */
export const byEndpoint = (requests: readonly RecentRequest[]): readonly EndpointMeasures[] =>
  [...Map.groupBy(requests, ({ endpoint }) => endpoint)]
    .map(([endpoint, each]) => measuresOf(endpoint, each))
    .sort((a, b) => b.count - a.count)

/** The requests that failed, the last first. */
export const failures = (requests: readonly RecentRequest[]): readonly RecentRequest[] => requests.filter(isError)

/** Requests in each of the last seconds, oldest first; `now` in milliseconds. */
export function perSecond(requests: readonly RecentRequest[], now: number, seconds = 60): readonly number[] {
  const counts = new Array<number>(seconds).fill(0)
  for (const { at } of requests) {
    const age = Math.floor((now - Date.parse(at)) / 1000)
    if (age >= 0 && age < seconds) counts[seconds - 1 - age]! += 1
  }
  return counts
}
