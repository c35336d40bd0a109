// Operations on many events at once: redelivery, and counts by time.

import { badRequest, type Static, Type } from '../../sdk/index.ts'
import { ObjectName, type OperationContext, operation, SourceName } from '../../sdk/metadata.ts'
import { isLeaseOver, notifyStatement } from '../delivery/index.ts'
import { conditionsOf, type EventFilter, eventId, filter, period } from './event-filter.ts'
import { asNew, isOpen } from './ledger/ledger-statements.ts'
import { knownTriggers, requireKnownTrigger } from './lookup.ts'
import { mostBuckets, mostRedelivered } from './tuning.ts'

const redeliveredByDefault = 1000

const RedeliverArgs = Type.Object({
  name: Type.Optional(ObjectName),
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: mostRedelivered })),
  source: SourceName,
  ...filter,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostRedelivered })),
})

const redelivered = `
  with chosen as (
    select id from trellis.event_log
    where (locked is null or ${isLeaseOver('locked')}) and CONDITIONS
    order by created_at, id limit LIMIT for update skip locked
  ), changed as (
    update trellis.event_log set ${asNew} where id in (select id from chosen) returning id
  )
  select count(*)::int as count from changed`

/** Which events a request is about: those with these ids, or those of a trigger that the filter chooses. */
function chosenEvents(context: OperationContext, { name, ids, ...given }: Static<typeof RedeliverArgs>) {
  if ((name === undefined) === (ids === undefined)) {
    throw badRequest('parse-failed', 'expected either "ids", or "name" with conditions on its events', { path: [] })
  }
  const status: EventFilter = ids || given.status ? {} : { status: 'error' }
  const conditions = conditionsOf({ ...given, ...status }, [ids?.map(eventId) ?? [name]])
  if (name !== undefined) {
    requireKnownTrigger(context, name)
    return { ...conditions, text: `trigger_name = any ($1::text[]) and ${conditions.text}` }
  }
  const values = [...conditions.values, knownTriggers(context)]
  return { values, text: `id = any ($1::text[]) and trigger_name = any ($${values.length}) and ${conditions.text}` }
}

/** `redeliver_events`. */
export const redeliverEvents = operation({
  type: 'redeliver_events',
  about: {
    summary:
      'Delivers events once more with all of their retries: those with these ids, or the failed ones of a trigger.',
    result: Type.Object({ redelivered: Type.Integer(), has_more: Type.Boolean() }),
  },
  args: RedeliverArgs,
  editsMetadata: false,
  async handle(context, args) {
    const { limit = redeliveredByDefault } = args
    const { text, values } = chosenEvents(context, args)
    const { transaction } = context
    const statement = redelivered.replace('CONDITIONS', () => text).replace('LIMIT', `$${values.length + 1}`)
    const [row] = await transaction.rows<{ count: number }>(statement, [...values, limit])
    await transaction.rows(notifyStatement, ['events'])
    return { redelivered: row!.count, has_more: row!.count === limit }
  },
})

const seconds = { minute: 60, hour: 3600, day: 86_400 } as const

const StatsArgs = Type.Object(
  {
    name: ObjectName,
    source: SourceName,
    bucket: Type.Optional(Type.Union([Type.Literal('minute'), Type.Literal('hour'), Type.Literal('day')])),
    ...period,
  },
  { missingKey: 'A' },
)

const Bucket = Type.Object({
  at: Type.String(),
  recorded: Type.Integer(),
  delivered: Type.Integer(),
  error: Type.Integer(),
  archived: Type.Integer(),
  pending: Type.Integer(),
})

const counted = `
  select to_char(bucket at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, count(*)::int as recorded,
    (count(*) filter (where delivered))::int as delivered, (count(*) filter (where error))::int as error,
    (count(*) filter (where archived and not delivered and not error))::int as archived,
    (count(*) filter (where not delivered and not error and not archived))::int as pending
  from (
    select to_timestamp(floor(extract(epoch from created_at) / $2) * $2) as bucket, delivered, error, archived
    from trellis.event_log
    where trigger_name = $1 and created_at >= $3::timestamptz and created_at < $4::timestamptz
  ) as event
  group by bucket order by bucket`

/** Read by the index of undelivered events: by the one on time, all delivered events before the first pending one would be read. */
const oldestPending = `
  with pending as materialized (select created_at from trellis.event_log as e where trigger_name = $1 and ${isOpen('e')})
  select to_char(min(created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at from pending`

/** `get_event_stats`: the last hour by minutes, unless told otherwise; buckets without events are left out. */
export const getEventStats = operation({
  type: 'get_event_stats',
  about: {
    summary: 'Counts the events of a trigger by the time of their recording and by their state.',
    result: Type.Object({ buckets: Type.Array(Bucket), oldest_pending: Type.Union([Type.String(), Type.Null()]) }),
  },
  args: StatsArgs,
  access: 'any',
  editsMetadata: false,
  async handle(context, { name, bucket = 'minute', from, to }) {
    requireKnownTrigger(context, name)
    const size = seconds[bucket]
    const end = to === undefined ? Date.now() + 1000 : Date.parse(to)
    const start = from === undefined ? end - 60 * size * 1000 : Date.parse(from)
    if (end - start > mostBuckets * size * 1000) {
      throw badRequest('not-supported', `the period has more than ${mostBuckets} buckets of a ${bucket}`)
    }
    const times = [new Date(start).toISOString(), new Date(end).toISOString()]
    const { transaction } = context
    const [oldest] = await transaction.rows<{ at: string | null }>(oldestPending, [name])
    return {
      buckets: await transaction.rows(counted, [name, size, ...times]),
      oldest_pending: oldest?.at ?? null,
    }
  },
})
