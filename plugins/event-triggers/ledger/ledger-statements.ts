// The statements of the delivery worker on the event log: claim, record, renew and release; and the readers of their rows.

import { prepare } from '../../../sdk/sql.ts'
import { isLeaseOver, longestAhead, mostClaimedBytes, outcomeRows } from '../../delivery/index.ts'

/** A condition: the event is not finished. */
export const isOpen = (event: string): string =>
  `not ${event}.delivered and not ${event}.error and not ${event}.archived`

/** The columns of an event that is delivered once more. */
export const asNew = `delivered = false, error = false, archived = false, tries = 0, next_retry_at = now(), locked = null, locked_by = null`

const sameKey = (one: string, other: string): string =>
  `${one}.trigger_name = ${other}.trigger_name and ${one}.order_key = ${other}.order_key`

/**
 * A condition: an open event that precedes another one with the same key. No open event has a number below `since_seq` ({@link
 * sinceSeq}), so the index entries of finished events are not read.
 */
const before = (one: string, other: string): string =>
  `${sameKey(one, other)} and ${one}.seq >= ${other}.since_seq and ${one}.seq < ${other}.seq and ${isOpen(one)}`

/**
 * The first number that an open event of a trigger may have: it is among the parameters for triggers of their own, or the one for
 * all others. See `order-bounds.ts`.
 */
const sinceSeq = (event: string, [names, seqs, others]: readonly [number, number, number]): string =>
  `coalesce((select b.seq from unnest($${names}::text[], $${seqs}::bigint[]) as b (name, seq) where b.name = ${event}.trigger_name),
      $${others}::bigint)`

const secondsSince = (time: string): string => `extract(epoch from clock_timestamp() - ${time})::float8`

/** The columns of a claimed event `e`, which was due at the given time. */
const claimedEvent = (isAwaited: string, time: string): string => `
  ${secondsSince(time)} as late, e.id, e.trigger_name, e.schema_name, e.table_name, e.payload::text as payload, e.tries,
  to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  case when e.order_key is not null then e.seq end as ordered_seq, ${isAwaited} as is_awaited`

/** An event of {@link claimedEvent}. */
export interface ClaimedEvent {
  /** Seconds since it was due. */
  readonly late: number
  readonly id: string
  readonly trigger_name: string
  readonly schema_name: string
  readonly table_name: string
  /** JSON text as it is sent; every number keeps its digits. */
  readonly payload: string
  readonly tries: number
  readonly created_at: string
  /** Its number if it has an ordering key. */
  readonly ordered_seq: number | null
  /** Whether other events may wait for it. */
  readonly is_awaited: boolean
  readonly size: number
}

/** Reads the columns of {@link claimedEvent}. */
export function readEvent(columns: readonly (string | null)[]): ClaimedEvent {
  const [late, id, trigger, schema, table, payload, tries, created, seq, isAwaited] = columns
  return {
    late: Number(late),
    id: id!,
    trigger_name: trigger!,
    schema_name: schema!,
    table_name: table!,
    payload: payload!,
    tries: Number(tries),
    created_at: created!,
    ordered_seq: seq === null || seq === undefined ? null : Number(seq),
    is_awaited: isAwaited === 't',
    size: payload!.length,
  }
}

/**
 * A due event: claimed with its columns, or not claimed. `left`: it is large, and the claim had reached its limit of bytes. `last`: the
 * last event that was looked at, and there may be more.
 */
export type Found =
  | (ClaimedEvent & { readonly state: 'free' })
  | { readonly state: 'parked' | 'waiting' | 'left' | 'last'; readonly late: number; readonly trigger_name: string }

const otherStates = ['parked', 'waiting', 'left', 'last'] as const

/** Reads a row of {@link claim}. */
export function readFound([state, ...columns]: readonly (string | null)[]): Found {
  const other = otherStates.find((each) => each === state)
  if (other) return { state: other, late: Number(columns[0]), trigger_name: columns[2]! }
  return { state: 'free', ...readEvent(columns) }
}

const statement = (text: string) => prepare({ text, params: [] })

const isDue = (event: string): string =>
  `${isOpen(event)} and coalesce(next_retry_at, created_at) <= now() and (locked is null or ${isLeaseOver('locked')})`

/** A condition: the trigger is not among the names in a parameter that have a room of 0. */
const hasRoom = (event: string): string =>
  `${event}.trigger_name <> all (array(select name from unnest($4::text[], $5::int[]) as r (name, room) where room = 0))`

const dueSince = "coalesce(next_retry_at, created_at) >= coalesce(now() - make_interval(secs => $6), '-infinity')"

/**
 * Claims at most $1 due events for worker $3, for $2 seconds: of the triggers $4 at most $5 each, and $7 of each other trigger (null: any
 * number). Events that were due more than $6 seconds ago are not read. Triggers without room are skipped, so that they block no
 * others.
 *
 * An event with an ordering key waits for all earlier ones with that key. It is parked, so that claims do not find it again and
 * again, until the event before it ends ({@link claimNext}). This statement locks that event, so it cannot end without finding
 * the parked one. If another session holds that lock, the event stays due as `waiting` and is looked at again soon: a claim that
 * ran meanwhile has skipped it. Claimed events are returned as `free`; of the others only the state.
 *
 * All rows are found before any is changed, whatever the plan: a statement cannot lock rows that it has changed.
 *
 * Where rooms are limited, other workers briefly lock events that they do not claim. The first event skipped for that reason
 * is returned as `waiting`, too. With a full batch, the last event is returned once more as `last`.
 */
export const claim = statement(`
  with due as materialized (
    select id, coalesce(next_retry_at, created_at) as due_at, trigger_name, order_key, seq, pg_column_size(payload) as size,
      ${sinceSeq('l', [8, 9, 10])} as since_seq
    from trellis.event_log as l
    where ${isDue('l')} and ${hasRoom('l')} and ${dueSince}
    order by coalesce(next_retry_at, created_at)
    limit $1 for update skip locked),
  found as materialized (
    select due.*, case
        when sum(size) over (rows unbounded preceding) - size > ${mostClaimedBytes} then 'left'
        when order_key is null then 'free'
        when first.id is not null then 'parked'
        when exists (select from trellis.event_log as earlier where ${before('earlier', 'due')}) then 'waiting'
        else 'free' end as state
    from due left join lateral (
      select id from trellis.event_log as earlier where due.order_key is not null and ${before('earlier', 'due')}
      order by earlier.seq limit 1 for share skip locked) as first on true),
  roomy as (
    select id, due_at, state from (
      select found.*, row_number() over (partition by trigger_name order by due_at) as place from found
      where state = 'free') as place
    left join unnest($4::text[], $5::int[]) as r (name, room) on name = trigger_name
    where place.place <= coalesce(room, $7::int, place.place)),
  changed as (
    update trellis.event_log as e set
      locked = case state when 'free' then now() + make_interval(secs => $2) end,
      locked_by = case state when 'free' then $3 end,
      next_retry_at = case state when 'parked' then 'infinity' else next_retry_at end
    from (select * from roomy union all select id, due_at, state from found where state = 'parked') as chosen
    where e.id = chosen.id and (select count(*) from found) > 0
    returning chosen.state, ${claimedEvent('e.order_key is not null', 'chosen.due_at')})
  select * from changed where state = 'free'
  union all
  select state, ${secondsSince('due_at')}, null, trigger_name, null, null, null, null, null, null, null from (
    select state, due_at, trigger_name from found where state <> 'free' union all
    (select 'last', due_at, trigger_name from due where (select count(*) from due) >= $1 order by due_at desc limit 1) union all
    (select 'waiting', coalesce(next_retry_at, created_at), trigger_name from trellis.event_log as l
    where (select count(*) from due) < $1 and (cardinality($4::text[]) > 0 or $7::int is not null)
      and ${isDue('l')} and ${hasRoom('l')} and ${dueSince} and id not in (select id from due)
    order by coalesce(next_retry_at, created_at) limit 1)) as other`)

/** The number of the last event, the transactions that may still be open, and each trigger's first open event with a key. */
export const lookAtOrder = `
  select pg_sequence_last_value('trellis.event_log_seq_seq'::regclass)::float8 as last,
    pg_catalog.txid_snapshot_xmin(now.ids)::float8 as xmin, pg_catalog.txid_snapshot_xmax(now.ids)::float8 as xmax,
    array(select row_to_json(open.*)::text from (
      select trigger_name as name, min(seq) as seq from trellis.event_log as e
      where ${isOpen('e')} and order_key is not null group by trigger_name) as open) as open
  from (select pg_catalog.txid_current_snapshot() as ids) as now`

/** A row of {@link lookAtOrder}; `open` contains JSON texts of {@link OpenEvent}. */
export interface OrderLook extends Record<string, unknown> {
  readonly last: number | null
  readonly xmin: number
  readonly xmax: number
  readonly open: readonly string[]
}

export interface OpenEvent {
  readonly name: string
  readonly seq: number
}

/**
 * The seconds since the first due event of each trigger was due, without the triggers $1. Events that have been due for
 * less than $2 seconds are not read.
 */
export const look = `
  select trigger_name as name, max(${secondsSince('coalesce(next_retry_at, created_at)')}) as late
  from trellis.event_log as l
  where ${isDue('l')} and trigger_name <> all($1) and coalesce(next_retry_at, created_at) <= now() - make_interval(secs => $2)
  group by trigger_name`

/**
 * Claims, for the ended events $1, the next waiting event of each key, except for the paused triggers in $4. An event that this
 * worker has claimed already is returned again: the first answer may have been lost.
 */
export const claimNext = statement(`
  update trellis.event_log as e set
    locked = now() + make_interval(secs => $2), locked_by = $3, next_retry_at = nullif(e.next_retry_at, 'infinity')
  from (
    select distinct next.id from (
      select trigger_name, order_key, ${sinceSeq('l', [5, 6, 7])} as since_seq from trellis.event_log as l
      where id = any($1)) as ended cross join lateral (
      select id from trellis.event_log as later
      where ${sameKey('later', 'ended')} and later.seq >= ended.since_seq and ${isOpen('later')}
      order by seq limit 1) as next) as next
  where e.id = next.id and ${isOpen('e')} and (e.locked is null or ${isLeaseOver('e.locked')} or e.locked_by = $3)
    and e.trigger_name <> all($4)
    and (e.next_retry_at is null or e.next_retry_at = 'infinity' or e.next_retry_at <= now())
  returning ${claimedEvent('true', 'coalesce(e.next_retry_at, e.created_at)')}`)

/**
 * Records outcomes for worker $9; the first parameters are those of {@link outcomeRows}. The attempt is logged even if the worker
 * has lost the lease meanwhile, but the state is not changed. A repeated record changes nothing, even if this worker has the event
 * again: an attempt counts once.
 */
export const record = statement(`
  with outcome as materialized (
    select * from ${outcomeRows}),
  logged as (
    insert into trellis.event_invocation_logs (id, event_id, trigger_name, status, request, response)
    select o.attempt, o.id, e.trigger_name, o.status, o.request::json, o.response::json
    from outcome o join trellis.event_log e on e.id = o.id where o.status is not null
    on conflict (id) do nothing)
  update trellis.event_log as e set
    delivered = (o.state = 'delivered'), error = (o.state = 'error'),
    tries = e.tries + (o.status is not null)::int, locked = null, locked_by = null,
    next_retry_at = case when o.state in ('retry', 'later') then now() + make_interval(secs => o.delay) end
  from outcome o where e.id = o.id and e.locked_by = $9 and e.tries = o.tries`)

const releaseWhere = (condition: string): string => `
  with released as (
    update trellis.event_log as e set locked = null, locked_by = null where ${condition} and locked_by = $2 returning 1)
  select pg_notify('trellis_delivery', 'events') from released limit 1`

/** Releases the events $1 of worker $2, and notifies other workers. */
export const release = releaseWhere('id = any($1)')

/** Releases the events of worker $2 except for $1. */
export const releaseUnknown = releaseWhere(`${isOpen('e')} and id <> all($1)`)

/**
 * Makes parked events due that wait for nothing, and notifies workers. Their trigger may have no ordering key now, the events before
 * them may have been deleted, or they date from before the clock was set back. Events of the paused triggers $1 stay, and locked rows
 * are skipped. Gives whether $2 is the stored metadata version: a server that has not seen a change yet would undo it, so it does
 * nothing.
 */
export const unpark = `
  with known as materialized (select from trellis.metadata where resource_version = $2),
  unparked as (
    update trellis.event_log as e set next_retry_at = now()
    from (
      select id from (
        select *, ${sinceSeq('e', [3, 4, 5])} as since_seq from trellis.event_log as e) as l
      where ${isOpen('l')} and coalesce(next_retry_at, created_at) = 'infinity' and trigger_name <> all($1)
        and (order_key is null or not exists (select from trellis.event_log as earlier where ${before('earlier', 'l')}))
        and exists (select from known)
      for update skip locked) as free
    where e.id = free.id returning 1),
  early as (
    update trellis.event_log as e set next_retry_at = now()
    from (
      select id from trellis.event_log as l
      where ${isOpen('l')} and next_retry_at is null and trigger_name <> all($1)
        and coalesce(next_retry_at, created_at) > now() + make_interval(secs => ${longestAhead}) and exists (select from known)
      for update skip locked) as free
    where e.id = free.id returning 1),
  told as materialized (
    select pg_notify('trellis_delivery', 'events') from (select from unparked union all select from early) as due limit 1)
  select exists (select from known) as is_known, count(*) from told`

/** Announces that the log is watched for $1 milliseconds by the database's clock, and notifies the other workers. */
export const watchLog = `
  select pg_catalog.setval('trellis.event_log_watched', (extract(epoch from clock_timestamp()) * 1000)::bigint + $1::bigint),
    pg_catalog.pg_notify('trellis_delivery', 'events')`
