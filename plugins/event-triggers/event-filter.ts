// Conditions on events of the log: time, state, operation, session and payload.

import { parseFailed, type Static, Type } from '../../sdk/index.ts'
import { VerbatimObject } from '../../sdk/metadata.ts'
import { noSuchEvent } from './lookup.ts'

/** Conditions on events by state; `processed` events need no more attempts. */
const states: Readonly<Record<string, string>> = {
  pending: 'not delivered and not error and not archived',
  processed: '(delivered or error)',
  delivered: 'delivered',
  error: 'error',
  archived: 'archived',
}

function readState(state: string): string {
  if (Object.hasOwn(states, state)) return state
  throw parseFailed(`unexpected status: ${state}`)
}

const State = Type.String({
  convert: readState,
  shown: Type.Union(Object.keys(states).map((each) => Type.Literal(each))),
})

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

function readTime(text: string): string {
  const time = isoTime.test(text) ? new Date(text) : null
  // An offset can lead to a year that PostgreSQL writes in another form.
  if (time && time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999) return time.toISOString()
  throw parseFailed(`expected a time such as 2026-12-01T01:00:00Z, encountered ${JSON.stringify(text)}`)
}

const Time = Type.String({ convert: readTime, shown: Type.String({ examples: ['2026-12-01T01:00:00Z'] }) })

/** The period in which events were recorded. */
export const period = {
  from: Type.Optional(Time),
  /** The first moment after it. */
  to: Type.Optional(Time),
}

/** JSON that PostgreSQL cannot store, which is therefore in no event. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

function readContained(value: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(value)
  if (unstorable.test(text)) throw parseFailed('the texts of events contain no U+0000 and no half of a surrogate pair')
  return text
}

const Contained = Type.Unsafe<string>({
  ...VerbatimObject,
  convert: readContained,
  shown: Type.Object({}, { additionalProperties: true }),
})

/** Arguments that choose events. */
export const filter = {
  ...period,
  status: Type.Optional(State),
  op: Type.Optional(Type.Union(['INSERT', 'UPDATE', 'DELETE', 'MANUAL'].map((op) => Type.Literal(op)))),
  /** Session variables that the change was made with. */
  session: Type.Optional(Contained),
  /** A part of the payload: `{"data": {"new": {"id": 4}}}`. */
  where: Type.Optional(Contained),
}

const Filter = Type.Object(filter)

export type EventFilter = Static<typeof Filter>

/** Escapes that `jsonb` refuses: events with them are found by other conditions alone. */
const payload = `(case when payload::text !~* '\\\\u(0000|d[89a-f])' then payload::jsonb end)`

/** The SQL of the conditions, whose values begin after those that are given. */
export function conditionsOf(
  { from, to, status, op, session, where }: EventFilter,
  values: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } {
  const all = [...values]
  const bound = (value: unknown) => `$${all.push(value)}`
  const texts = [
    ...(from === undefined ? [] : [`created_at >= ${bound(from)}::timestamptz`]),
    ...(to === undefined ? [] : [`created_at < ${bound(to)}::timestamptz`]),
    ...(status === undefined ? [] : [states[status]!]),
    ...(op === undefined ? [] : [`payload ->> 'op' = ${bound(op)}`]),
    ...(session === undefined ? [] : [`${payload} -> 'session_variables' @> ${bound(session)}::jsonb`]),
    ...(where === undefined ? [] : [`${payload} @> ${bound(where)}::jsonb`]),
  ]
  return { text: ['true', ...texts].join(' and '), values: all }
}

/** An event's id; PostgreSQL's texts cannot contain U+0000. */
export function eventId(id: string): string {
  if (id.includes('\0')) throw noSuchEvent()
  return id
}
