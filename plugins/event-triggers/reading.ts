// Reads the event log and the log of attempts.

import { badRequest, type Static, Type } from '../../sdk/index.ts'
import { ObjectName, type OperationContext, operation, SourceName } from '../../sdk/metadata.ts'
import { readPage } from '../../sdk/services.ts'
import { conditionsOf, eventId, filter, period } from './event-filter.ts'
import { noSuchEvent, requireKnownTrigger } from './lookup.ts'
import { mostRead } from './tuning.ts'

const defaultRows = 100

const page = {
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: mostRead })),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
}

/** The id of the last entry of the page before; unlike `offset`, it costs the same on every page. */
const after = Type.Optional(Type.String())

const EventLogsArgs = Type.Object(
  {
    name: ObjectName,
    source: SourceName,
    ...filter,
    get_rows_count: Type.Optional(Type.Boolean()),
    after,
    ...page,
  },
  { missingKey: 'A' },
)

const InvocationLogsArgs = Type.Object(
  {
    name: ObjectName,
    source: SourceName,
    event_id: Type.Optional(Type.String()),
    /** The status of the webhook's answer. */
    status: Type.Optional(Type.Integer()),
    ...period,
    get_rows_count: Type.Optional(Type.Boolean()),
    after,
    ...page,
  },
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
    const { name } = args
    requireKnownTrigger(context, name)
    const { text, values } = conditionsOf(args, [name])
    const from = `select ${eventColumns} from trellis.event_log where trigger_name = $1 and ${text}`
    return readLog(context, { key: 'events', table: 'event_log', from, values, args })
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
    const { name, event_id: id = null, status = null, from: start, to: end } = args
    requireKnownTrigger(context, name)
    const own = [name, id === null ? null : eventId(id), status]
    const { text, values } = conditionsOf({ ...(start && { from: start }), ...(end && { to: end }) }, own)
    const ofAttempt = '($2::text is null or event_id = $2) and ($3::integer is null or status = $3)'
    const from = `select ${invocationColumns} from trellis.event_invocation_logs
      where trigger_name = $1 and ${ofAttempt} and ${text}`
    return readLog(context, { key: 'invocations', table: 'event_invocation_logs', from, values, args })
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
    eventId(id)
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

type PageArgs = Pick<Static<typeof InvocationLogsArgs>, 'name' | 'limit' | 'offset' | 'get_rows_count' | 'after'>

interface LogQuery {
  readonly key: string
  readonly table: 'event_log' | 'event_invocation_logs'
  readonly from: string
  readonly values: readonly unknown[]
  readonly args: PageArgs
}

/** Rows, with their total if requested; after an entry, the total is that of the rest. */
async function readLog({ transaction }: OperationContext, { key, table, from: all, values: own, args }: LogQuery) {
  const { limit = defaultRows, offset = 0, get_rows_count: counts = false, after } = args
  const values = [...own]
  let from = all
  if (after !== undefined) {
    const [last] = await transaction.rows<{ at: string }>(
      `select created_at::text as at from trellis.${table} where id = $1 and trigger_name = $2`,
      [eventId(after), args.name],
    )
    if (!last) throw badRequest('not-exists', 'the log has no such entry', { path: ['after'] })
    const at = `$${values.push(last.at)}::timestamptz`
    from = `${all} and (created_at < ${at} or (created_at = ${at} and id > $${values.push(after)}))`
  }
  const order = 'created_at desc, id'
  const { rows, count } = await readPage(transaction, { from, order, values, limit, offset, counts })
  return counts ? { [key]: rows, count } : rows
}
