// `get_event_timeline`: a request, the changes of rows that it made, their events, and all attempts to deliver them.

import { badRequest, type Dialect, type Static, Type } from '../../sdk/index.ts'
import { type OperationContext, operation, SourceName } from '../../sdk/metadata.ts'
import { isJsonObject, readPage } from '../../sdk/services.ts'
import { recordedId } from './capture/request-id.ts'
import { conditionsOf, eventId, period } from './event-filter.ts'
import { noSuchEvent } from './lookup.ts'
import { dayMillis, mostAttempts, mostRead } from './tuning.ts'

const defaultEvents = 100

const Args = Type.Object({
  event_id: Type.Optional(Type.String()),
  request_id: Type.Optional(Type.String()),
  source: SourceName,
  ...period,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostRead })),
})

type TimelineArgs = Static<typeof Args>

const Nullable = Type.Union([Type.String(), Type.Null()])

const Attempt = Type.Object(
  {
    id: Type.String(),
    status: Type.Union([Type.Integer(), Type.Null()]),
    request: Type.Unknown(),
    response: Type.Unknown(),
    created_at: Type.String(),
  },
  { title: 'EventAttempt' },
)

const TimelineEvent = Type.Object(
  {
    id: Type.String(),
    trigger_name: Type.String(),
    schema_name: Type.String(),
    table_name: Type.String(),
    created_at: Type.String(),
    op: Nullable,
    data: Type.Unknown(),
    state: Type.Union(['pending', 'delivered', 'error', 'archived'].map((each) => Type.Literal(each))),
    tries: Type.Integer(),
    locked: Nullable,
    next_retry_at: Nullable,
    is_waiting: Type.Boolean(),
    attempts: Type.Array(Attempt),
  },
  { title: 'TimelineEvent' },
)

const Timeline = Type.Object({
  request: Type.Union([
    Type.Object({
      id: Nullable,
      role: Nullable,
      session_variables: Type.Unknown(),
      trace_context: Type.Unknown(),
    }),
    Type.Null(),
  ]),
  events: Type.Array(TimelineEvent),
})

const attempts = `
  select json_agg(row_to_json(kept.*) order by created_at, id) from (
    select id, status, request, response, created_at from trellis.event_invocation_logs
    where event_id = e.id order by created_at desc, id limit ${mostAttempts}) as kept`

const columns = `e.id, e.trigger_name, e.schema_name, e.table_name, e.created_at, e.request_id, e.payload,
  case when e.delivered then 'delivered' when e.error then 'error' when e.archived then 'archived' else 'pending' end as state,
  e.tries, case when e.locked > now() then e.locked end as locked,
  case when e.next_retry_at < 'infinity' then e.next_retry_at end as next_retry_at,
  coalesce(e.next_retry_at = 'infinity', false) as is_waiting, (${attempts}) as attempts`

/** All names in the log, each found by the index on trigger and time, as the events of a period are then. */
const triggerNames = `
  with recursive named as (
    select min(trigger_name) as name from trellis.event_log
    union all
    select (select min(trigger_name) from trellis.event_log where trigger_name > named.name) from named where name is not null)
  select name from named`

/** An event as the log has it. */
interface LoggedEvent {
  readonly request_id: string | null
  readonly payload: unknown
  readonly attempts: unknown[] | null
}

/** The condition on events `e`, and its values. */
function chosen({ event_id, request_id, from, to }: TimelineArgs) {
  if ((event_id === undefined) === (request_id === undefined)) {
    throw badRequest('parse-failed', 'expected either "event_id" or "request_id"', { path: [] })
  }
  if (event_id !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw badRequest('parse-failed', '"from" and "to" are about the events of a request', { path: [] })
    }
    return { text: 'e.id = $1', values: [eventId(event_id)] }
  }
  const start = from ?? new Date((to === undefined ? Date.now() : Date.parse(to)) - dayMillis).toISOString()
  const within = conditionsOf({ from: start, ...(to !== undefined && { to }) }, [recordedId(eventId(request_id!))])
  return {
    text: `e.request_id = $1 and e.trigger_name in (${triggerNames}) and ${within.text}`,
    values: within.values,
  }
}

const memberOf = (payload: unknown, key: string): unknown => (isJsonObject(payload) ? (payload[key] ?? null) : null)

/** The request that made the changes; null: another program made them. */
function requestOf({ request_id: id, payload }: LoggedEvent, { roleVariable }: Pick<Dialect, 'roleVariable'>) {
  const variables = memberOf(payload, 'session_variables')
  if (id === null && variables === null) return null
  const role = memberOf(variables, roleVariable)
  return {
    id,
    role: typeof role === 'string' ? role : null,
    session_variables: variables,
    trace_context: memberOf(payload, 'trace_context'),
  }
}

function shown({ request_id: _, payload, attempts, ...event }: LoggedEvent) {
  return { ...event, op: memberOf(payload, 'op'), data: memberOf(payload, 'data'), attempts: attempts ?? [] }
}

async function timelineOf({ transaction, dialect }: OperationContext, args: TimelineArgs) {
  const { text, values } = chosen(args)
  const { limit = defaultEvents } = args
  const from = `select ${columns} from trellis.event_log as e where ${text}`
  const page = await readPage(transaction, { from, order: 'created_at, id', values, limit, offset: 0, counts: false })
  const events = page.rows as LoggedEvent[]
  const [first] = events
  if (!first) {
    throw args.event_id === undefined ? badRequest('not-exists', 'the log has no event of this request') : noSuchEvent()
  }
  return { request: requestOf(first, dialect), events: events.map(shown) }
}

export const getEventTimeline = operation({
  type: 'get_event_timeline',
  about: {
    summary: 'Returns an event, or those of a request, with the change of the row and all attempts, the oldest first.',
    result: Timeline,
  },
  args: Args,
  access: 'any',
  editsMetadata: false,
  handle: timelineOf,
})
