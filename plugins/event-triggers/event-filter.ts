// Conditions on events of the log: time, state, operation, session and payload.

import { parseFailed, type Static, Type } from '../../sdk/index.ts'
import { ContainedJson, PointInTime } from '../../sdk/metadata.ts'
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

/** The period in which events were recorded. */
export const period = {
  from: Type.Optional(PointInTime),
  /** The first moment after it. */
  to: Type.Optional(PointInTime),
}

/** Arguments that choose events. */
export const filter = {
  ...period,
  status: Type.Optional(State),
  op: Type.Optional(Type.Union(['INSERT', 'UPDATE', 'DELETE', 'MANUAL'].map((op) => Type.Literal(op)))),
  /** Session variables that the change was made with. */
  session: Type.Optional(ContainedJson),
  /** A part of the payload: `{"data": {"new": {"id": 4}}}`. */
  where: Type.Optional(ContainedJson),
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
