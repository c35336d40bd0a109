// The interface between delivery workers and the tables that hold the items to deliver.

import type { Handler, Leased, QueueLedger, Settled as QueueSettled } from '../../sdk/services.ts'
import type { Attempt } from './attempts/attempt.ts'
import { longestAhead, longestDelay, unheardSeconds } from './tuning.ts'

/** The number of waiting items, per trigger where there is one. */
export interface Backlog extends Record<string, unknown> {
  readonly name: string | null
  readonly count: number
  /** Seconds since the first of them was due. */
  readonly age: number
}

/** An item that a worker holds a lease on. */
export interface Claimed extends Leased {
  /** Attempts before this one. */
  readonly tries: number
  /** Seconds since it was due, at the claim. */
  readonly late: number
  /** Absent: the item has no trigger. */
  readonly trigger_name?: string
}

/** The result of a claimed item. */
export interface Outcome {
  readonly id: string
  /** Null: no request was sent. */
  readonly attempt: Attempt | null
  /** `later`: due again after the delay, not counted as an attempt; `retry`: due again after the delay, counted. */
  readonly state: 'delivered' | 'error' | 'dead' | 'retry' | 'later'
  /** Seconds until it is due again. */
  readonly delay: number
}

/** An item with its outcome. */
export type Settled<Item> = QueueSettled<Item, Outcome>

/** Whether the item is never due again. */
export const isFinal = (state: Outcome['state']): boolean => state !== 'retry' && state !== 'later'

/** The tables that hold the items to deliver. */
export interface Ledger<Item extends Claimed> extends QueueLedger<Item, Outcome> {
  /** {@link Handler.mayBegin}, by trigger. */
  mayBegin?(item: Item): boolean
  /** Delivers; rejects only when the signal aborts. */
  deliver(item: Item, signal: AbortSignal): Promise<Outcome>
  /** Releases the leases of this worker except for these ids. */
  releaseUnknown(known: readonly string[]): Promise<void>
  /** The waiting items, for metrics. */
  backlog(): Promise<readonly Backlog[]>
}

/** Separates texts: a control character that JSON escapes and the other values never contain. */
const separator = '\x1e'

/**
 * Outcomes in the form that {@link outcomeRows} reads: ids, states, statuses, requests, responses, delays, earlier attempts,
 * and ids of attempts. Each is one text, because quoting the elements of an array costs both sides more than all else.
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
 * Settings for the prepared statements on ledgers. Planning takes a fifth of their time, so the plan is kept. It must be good
 * for any content of the ledger: a plan that uses indexes alone is.
 */
export const byIndexes = {
  ...{ plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', enable_bitmapscan: 'off' },
  ...{ enable_hashjoin: 'off', enable_mergejoin: 'off' },
} as const

/** A condition: the lease with this end is over, or it dates from before the clock was set back. */
export const isLeaseOver = (end: string): string =>
  `(${end} <= now() or ${end} > now() + make_interval(secs => ${longestAhead}))`

/**
 * Seconds until the next look at an item whose trigger this instance does not serve; `since`: when it was first due. A short
 * delay at first: this instance may not know a new trigger yet, and another instance may deliver the item.
 */
export const delayOfUnknown = (since: string): number =>
  Date.now() - Date.parse(since) < unheardSeconds * 1000 ? 1 : 60

/** The retry configuration of a webhook. */
export interface RetryRule {
  readonly retries: number
  /** Seconds. */
  readonly interval: number
}

/** The outcome of an attempt; `tries`: the attempts before it. */
export function outcomeOf(id: string, attempt: Attempt, tries: number, { retries, interval }: RetryRule): Outcome {
  if (attempt.succeeded) return { id, attempt, state: 'delivered', delay: 0 }
  if (attempt.retryAfter !== null) return { id, attempt, state: 'retry', delay: attempt.retryAfter }
  if (tries < retries) return { id, attempt, state: 'retry', delay: Math.min(interval, longestDelay) }
  return { id, attempt, state: 'error', delay: 0 }
}
