// What a delivery worker asks of the tables that hold what is to be delivered.

import type { Attempt } from './attempt.ts'
import type { Backlog } from './backlog.ts'

/** Something that a worker holds by a lease. */
export interface Claimed {
  readonly id: string
  /** Attempts before this one. */
  readonly tries: number
  /** Seconds since it was due. */
  readonly late: number
  /** Absent: it is of none. */
  readonly trigger_name?: string
  /** Whether others may wait for it; absent: no. */
  readonly is_awaited?: boolean
  /** Characters that it keeps in memory; absent: few. */
  readonly size?: number
}

/** What becomes of something that was claimed. */
export interface Outcome {
  readonly id: string
  /** Null: nothing was sent. */
  readonly attempt: Attempt | null
  /** `later`: again after the delay, and as if this had not been; `retry`: the same, counted as an attempt. */
  readonly state: 'delivered' | 'error' | 'dead' | 'retry' | 'later'
  /** Seconds until it is tried again. */
  readonly delay: number
}

/** What became of which. */
export interface Settled<Item> {
  readonly item: Item
  readonly outcome: Outcome
}

/** Whether nothing is to be delivered any more. */
export const isFinal = (state: Outcome['state']): boolean => state !== 'retry' && state !== 'later'

export interface Ledger<Item extends Claimed> {
  /** Claims at most so much of what is due, for the length of a lease, beside what is held already. */
  claim(limit: number, held: Iterable<Item>): Promise<readonly Item[]>
  /** Delivers; rejects only when the signal aborts. */
  deliver(item: Item, signal: AbortSignal): Promise<Outcome>
  /**
   * Writes outcomes down and ends the leases; what another worker holds by then stays, and what is written down already. Gives what it
   * has claimed for that.
   */
  record(settled: readonly Settled<Item>[]): Promise<readonly Item[]>
  /** Begins leases anew; the ids of those that are this worker's still. */
  renew(ids: readonly string[]): Promise<readonly string[]>
  /** Gives back what was not begun, and says so to others. */
  release(ids: readonly string[]): Promise<void>
  /** Gives back what is this worker's but for these: it was never told of that, since a connection was lost. */
  releaseUntold(told: readonly string[]): Promise<void>
  /** Milliseconds until it is worth looking again, when nobody says so before. */
  pause(): number | Promise<number>
  /**
   * Says for how many milliseconds nobody has to tell of what is due, and tells other workers that there may be something; 0: from now on
   * they have to. Absent: they always have to.
   */
  watch?(millis: number): Promise<void>
  /** What waits, for whoever measures it. */
  backlog(): Promise<readonly Backlog[]>
}

/** Stands between texts: neither JSON nor what else is written down has it. */
const separator = '\x1e'

/**
 * Outcomes as {@link outcomeRows} reads them: ids, states, and of attempts statuses, requests and responses; then the delays, the
 * attempts before, and the ids of attempts. A text for each, since quotes in elements of an array cost both sides more than all
 * else.
 */
export function outcomeTexts(settled: readonly Settled<Claimed>[]): string[] {
  const outcomes = settled.map(({ outcome }) => outcome)
  const of = (read: (attempt: Attempt) => string | number) =>
    outcomes.map(({ attempt }) => (attempt ? read(attempt) : '')).join(separator)
  return [
    outcomes.map(({ id }) => id).join(separator),
    outcomes.map(({ state }) => state).join(separator),
    of(({ status }) => status),
    of(({ request }) => request),
    of(({ response }) => response),
    outcomes.map(({ delay }) => delay).join(separator),
    settled.map(({ item }) => item.tries).join(separator),
    of(({ id }) => id),
  ]
}

const list = (place: number, type: string): string => `string_to_array($${place}, chr(30), '')::${type}[]`

/** The rows of {@link outcomeTexts}, which are the first parameters of a statement. */
export const outcomeRows = `unnest(${list(1, 'text')}, ${list(2, 'text')}, ${list(3, 'int')}, ${list(4, 'text')}, ${list(5, 'text')}, ${list(6, 'float8')},
    ${list(7, 'int')}, ${list(8, 'text')})
  as o (id, state, status, request, response, delay, tries, attempt)`

/**
 * For statements on ledgers, which connections prepare. To plan them takes a fifth of what they take, so a plan is kept, and has to be good
 * whatever the ledger held when it was made: one by indexes alone is.
 */
export const byIndexes = {
  ...{ plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', enable_bitmapscan: 'off' },
  ...{ enable_hashjoin: 'off', enable_mergejoin: 'off' },
} as const

/** Bytes that may be claimed at once, beside the first item, as they are stored: nothing is read to find out. */
export const mostClaimedBytes = 2 ** 25

/** Seconds that a claim holds without being renewed. */
export const leaseSeconds = 30

/** Seconds ahead of which there is neither a new lease nor anything just written, unless the clock was set back since. */
export const longestAhead = 60

/** Condition: the lease that ends then is over, or is from before the clock was set back. */
export const isLeaseOver = (end: string): string =>
  `(${end} <= now() or ${end} > now() + make_interval(secs => ${longestAhead}))`

/** Seconds for which an instance may not have heard of what others made. */
const unheardSeconds = 60

/**
 * Seconds until something is looked at again whose trigger this instance does not serve; `since`: when it could first be
 * delivered. Soon at first, for the instance may only not have heard of the trigger yet, and another one delivers it then.
 */
export const delayOfUnknown = (since: string): number =>
  Date.now() - Date.parse(since) < unheardSeconds * 1000 ? 1 : 60

/** PostgreSQL's times have an end, and settings have none: seconds that nobody waits for. */
const longestDelay = 10 ** 9

/** What the configuration of a webhook says of repeating. */
export interface RetryRule {
  readonly retries: number
  /** Seconds. */
  readonly interval: number
}

/** What becomes of something after an attempt; `tries`: attempts before it. */
export function outcomeOf(id: string, attempt: Attempt, tries: number, { retries, interval }: RetryRule): Outcome {
  if (attempt.succeeded) return { id, attempt, state: 'delivered', delay: 0 }
  if (attempt.retryAfter !== null) return { id, attempt, state: 'retry', delay: attempt.retryAfter }
  if (tries < retries) return { id, attempt, state: 'retry', delay: Math.min(interval, longestDelay) }
  return { id, attempt, state: 'error', delay: 0 }
}
