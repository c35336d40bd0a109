// The timeline of an event or a request, as the server tells it.

import { parseExactly } from '../../base/json.ts'
import { asFailure } from '../../requests/failure.ts'
import { exchange } from '../../server/operations.ts'
import type { Invocation } from './event-triggers.ts'

/** The request that changed the rows. */
export interface TimelineRequest {
  readonly id: string | null
  readonly role: string | null
  readonly session_variables: Readonly<Record<string, unknown>> | null
  readonly trace_context: Readonly<Record<string, unknown>> | null
}

/** An event with the change that it tells, and its attempts, the oldest first. */
export interface TimelineEvent {
  readonly id: string
  readonly trigger_name: string
  readonly schema_name: string
  readonly table_name: string
  readonly created_at: string
  readonly op: string | null
  readonly data: unknown
  readonly state: 'pending' | 'delivered' | 'error' | 'archived'
  readonly tries: number
  readonly locked: string | null
  readonly next_retry_at: string | null
  readonly is_waiting: boolean
  readonly attempts: readonly Invocation[]
}

export interface Timeline {
  /** Null: another program made the changes. */
  readonly request: TimelineRequest | null
  readonly events: readonly TimelineEvent[]
}

/** Reads a timeline; null: the log has no such event or request. */
export async function readTimeline(args: object, signal?: AbortSignal): Promise<Timeline | null> {
  try {
    const { text } = await exchange<Timeline>('get_event_timeline', args, { signal })
    return parseExactly(text) as Timeline
  } catch (error) {
    if (asFailure(error).facts.code === 'not-exists') return null
    throw error
  }
}

/** The timeline of the event with this id, or else of the request with it. */
export const timelineOf = async (id: string, signal?: AbortSignal): Promise<Timeline | null> =>
  (await readTimeline({ event_id: id }, signal)) ?? (await readTimeline({ request_id: id }, signal))

type Row = Readonly<Record<string, unknown>>

/** A column of a changed row; undefined: that side has no row. */
export interface ColumnChange {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
  readonly isChanged: boolean
}

const rowOf = (value: unknown): Row | null => (typeof value === 'object' && value !== null ? (value as Row) : null)

/** The columns of a row before and after; null: the event was sent by hand. */
export function changeOf({ op, data }: Pick<TimelineEvent, 'op' | 'data'>): readonly ColumnChange[] | null {
  if (op === 'MANUAL' || op === null) return null
  const [before, after] = [rowOf(rowOf(data)?.['old']), rowOf(rowOf(data)?.['new'])]
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names].map((name) => ({
    ...{ name, before: before?.[name], after: after?.[name] },
    isChanged: before !== null && after !== null && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  }))
}

interface Header {
  readonly name: string
  readonly value: unknown
}

/** The parts of an attempt; a part that it does not have is null. */
export interface AttemptParts {
  readonly sent: readonly Header[] | null
  readonly received: readonly Header[] | null
  readonly body: unknown
}

const headersOf = (value: unknown): readonly Header[] | null =>
  Array.isArray(value) ? value.filter((each): each is Header => typeof rowOf(each)?.['name'] === 'string') : null

/** Reads an attempt as the log has it. */
export function partsOf({ request, response }: Invocation): AttemptParts {
  const answer = rowOf(rowOf(response)?.['data'])
  return {
    sent: headersOf(rowOf(request)?.['headers']),
    received: headersOf(answer?.['headers']),
    body: answer?.['body'] ?? answer?.['message'] ?? answer,
  }
}

/** The id of a trace: W3C's, or else the number of it that older clients know. */
export function traceOf(context: TimelineRequest['trace_context']): string | null {
  const parent = context?.['traceparent']
  if (typeof parent === 'string') return parent.split('-')[1] ?? parent
  const number = context?.['trace_id']
  return number === undefined ? null : typeof number === 'string' ? number : JSON.stringify(number)
}

/** A span of time: `12 ms`, `8 s`, `4 min`, `2 h`. */
export function formatSpan(millis: number): string {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
