// Reads the event log and the log of attempts.

import { parseFailed, type Static, Type } from '../../sdk/index.ts'
import { ObjectName, type OperationContext, operation, SourceName } from '../../sdk/metadata.ts'
import { readPage } from '../delivery/index.ts'
import { noSuchEvent, requireKnownTrigger } from './lookup.ts'

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

/** Larger results are read page by page. */
const mostRows = 10_000
const defaultRows = 100

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: mostRows })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
}

const EventLogsArgs = Type.Object(
  {
    name: ObjectName,
    source: SourceName,
    status: Type.Optional(State),
    get_rows_count: Type.Optional(Type.Boolean()),
    ...page,
  },
  { missingKey: 'A' },
)

const InvocationLogsArgs = Type.Object(
  { name: ObjectName, source: SourceName, get_rows_count: Type.Optional(Type.Boolean()), ...page },
  { missingKey: 'A' },
)

const EventByIdArgs = Type.Object(
  {
    event_id: Type.String(),
    source: SourceName,
    invocation_log_limit: page.limit,
    invocation_log_offset: page.offset,
  },
  { missingKey: 'A' },
)

const Rows = Type.Array(Type.Unknown())
const rowsOrPage = (key: string) => Type.Union([Rows, Type.Object({ [key]: Rows, count: Type.Integer() })])

const eventColumns = `id, schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at,
  case when locked > now() then locked end as locked,
  case when next_retry_at < 'infinity' then next_retry_at end as next_retry_at, archived`

const invocationColumns = 'id, event_id, trigger_name, status, request, response, created_at'

export const getEventLogs = operation({
  type: 'pg_get_event_logs',
  about: { summary: 'Lists the events of an event trigger, the newest first.', result: rowsOrPage('events') },
  args: EventLogsArgs,
  access: 'any',
  editsMetadata: false,
  handle(context, args) {
    const { name, status } = args
    requireKnownTrigger(context, name)
    const where = status === undefined ? 'true' : states[status]
    const from = `select ${eventColumns} from trellis.event_log where trigger_name = $1 and ${where}`
    return readLog(context, { key: 'events', from, values: [name], args })
  },
})

export const getEventInvocationLogs = operation({
  type: 'pg_get_event_invocation_logs',
  about: {
    summary: 'Lists the attempts to deliver events of an event trigger, the newest first.',
    result: rowsOrPage('invocations'),
  },
  args: InvocationLogsArgs,
  access: 'any',
  editsMetadata: false,
  handle(context, args) {
    const { name } = args
    requireKnownTrigger(context, name)
    const from = `select ${invocationColumns} from trellis.event_invocation_logs where trigger_name = $1`
    return readLog(context, { key: 'invocations', from, values: [name], args })
  },
})

export const getEventById = operation({
  type: 'pg_get_event_by_id',
  about: {
    summary: 'Returns an event and the attempts to deliver it, the newest first.',
    result: Type.Object({ event: Type.Unknown(), invocations: Rows }),
  },
  args: EventByIdArgs,
  access: 'any',
  editsMetadata: false,
  async handle({ transaction }, { event_id: id, invocation_log_limit, invocation_log_offset }) {
    // PostgreSQL's texts cannot contain it.
    if (id.includes('\0')) throw noSuchEvent()
    const read = (from: string, limit = defaultRows, offset = 0) =>
      readPage(transaction, { from, order: 'created_at desc, id', values: [id], limit, offset, counts: false })
    const events = await read(`select ${eventColumns} from trellis.event_log where id = $1`)
    const [event] = events.rows as unknown[]
    if (event === undefined) throw noSuchEvent()
    const logs = `select ${invocationColumns} from trellis.event_invocation_logs where event_id = $1`
    const invocations = await read(logs, invocation_log_limit, invocation_log_offset)
    return { event, invocations: invocations.rows }
  },
})

type PageArgs = Pick<Static<typeof InvocationLogsArgs>, 'limit' | 'offset' | 'get_rows_count'>

interface LogQuery {
  readonly key: string
  readonly from: string
  readonly values: readonly unknown[]
  readonly args: PageArgs
}

/** Rows, with their total if requested. */
async function readLog({ transaction }: OperationContext, { key, from, values, args }: LogQuery) {
  const { limit = defaultRows, offset = 0, get_rows_count: counts = false } = args
  const order = 'created_at desc, id'
  const { rows, count } = await readPage(transaction, { from, order, values, limit, offset, counts })
  return counts ? { [key]: rows, count } : rows
}
