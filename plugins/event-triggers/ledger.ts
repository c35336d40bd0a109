// The event log as a delivery worker sees it: what is due, and how one event is delivered.

import { randomUUID } from 'node:crypto'
import type { Database, Row, Transaction } from '../../sdk/sql.ts'
import {
  type Backlog,
  delayOfUnknown,
  isFinal,
  type Ledger,
  leaseSeconds,
  type Outcome,
  outcomeOf,
  outcomeRows,
  outcomeTexts,
  type WebhookCaller,
} from '../delivery/index.ts'
import { TriggerLimits } from './limits.ts'
import type { ResolvedTrigger } from './metadata.ts'
import { PassedOver } from './passed-over.ts'

/** An event that this instance delivers. */
export interface ClaimedEvent {
  readonly id: string
  readonly trigger_name: string
  readonly schema_name: string
  readonly table_name: string
  /** JSON text, as it is sent: every number keeps its digits. */
  readonly payload: string
  readonly tries: number
  readonly created_at: string
  /** Whether it has an ordering key. */
  readonly is_ordered: boolean
  /** Whether others may wait for it. */
  readonly is_awaited: boolean
  /** Seconds since it may have been delivered. */
  readonly late: number
}

export interface EventLedgerOptions {
  readonly database: Pick<Database, 'rows' | 'transaction'>
  readonly caller: Pick<WebhookCaller, 'call'>
  /** The event triggers that are served, by name. */
  triggers(): ReadonlyMap<string, ResolvedTrigger>
  /** Deliveries at once of a trigger that does not say how many; 0: any number. */
  readonly triggerConcurrency: number
  /** Milliseconds until an empty log is looked at again. */
  interval(): number
  /** Told of events whose trigger is not served. */
  unknownTrigger(event: ClaimedEvent): void
}

const isOpen = (event: string): string => `not ${event}.delivered and not ${event}.error and not ${event}.archived`

const sameKey = (one: string, other: string): string =>
  `${one}.trigger_name = ${other}.trigger_name and ${one}.order_key = ${other}.order_key`

/** Those that are open with the key of another event, and before it. */
const before = (one: string, other: string): string =>
  `${sameKey(one, other)} and ${one}.seq < ${other}.seq and ${isOpen(one)}`

/** What a worker gets to know of the event `e` that it has claimed. */
const claimedEvent = (isAwaited: string, late: string): string => `
  e.id, e.trigger_name, e.schema_name, e.table_name, e.payload::text as payload, e.tries,
  to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
  e.order_key is not null as is_ordered, ${isAwaited} as is_awaited, extract(epoch from clock_timestamp() - ${late})::float8 as late`

interface ClaimParts {
  /** A further condition on what is due. */
  readonly condition: string
  /** Of what is due and waits for nothing, what is claimed. */
  readonly chosen: string
  /** Whether others may wait for an event. */
  readonly isAwaited: string
}

/**
 * What has an ordering key waits for all that came before it with the same one: it is parked, so that it is not found due again
 * and again, until what is before it ends ({@link claimNext}). That cannot end meanwhile without finding what is parked behind
 * it, since it is locked; where it is locked already, the event stays due.
 */
const claimWith = ({ condition, chosen, isAwaited }: ClaimParts): string => `
  with due as materialized (
    select id, coalesce(next_retry_at, created_at) as due_at, trigger_name, order_key, seq from trellis.event_log as l
    where ${isOpen('l')} and coalesce(next_retry_at, created_at) <= now() and (locked is null or locked <= now()) ${condition}
    order by coalesce(next_retry_at, created_at)
    limit $1 for update skip locked),
  found as materialized (
    select due.*, first.id is not null as is_parked
    from due left join lateral (
      select id from trellis.event_log as earlier where due.order_key is not null and ${before('earlier', 'due')}
      order by earlier.seq limit 1 for share skip locked) as first on true),
  free as (
    select * from found
    where not is_parked
      and (order_key is null or not exists (select from trellis.event_log as earlier where ${before('earlier', 'found')}))),
  chosen as (${chosen} union all select id, due_at, is_parked from found where is_parked)
  update trellis.event_log as e set
    locked = case when not is_parked then now() + make_interval(secs => $2) end,
    locked_by = case when not is_parked then $3 end,
    next_retry_at = case when is_parked then 'infinity' else next_retry_at end
  from chosen where e.id = chosen.id
  returning is_parked, ${claimedEvent(isAwaited, 'due_at')}`

const claim = claimWith({
  condition: '',
  chosen: 'select id, due_at, is_parked from free',
  isAwaited: 'e.order_key is not null',
})

/**
 * Triggers in $4 have room for as many more as $5 says: those without are passed over, so that they hold up nobody. What was due
 * more than $6 seconds ago is not read.
 */
const claimWithin = claimWith({
  condition: `
      and l.trigger_name <> all (array(select name from unnest($4::text[], $5::int[]) as r (name, room) where room = 0))
      and coalesce(next_retry_at, created_at) >= coalesce(now() - make_interval(secs => $6), '-infinity')`,
  chosen: `select id, due_at, is_parked from (
      select free.*, row_number() over (partition by trigger_name order by due_at) as place from free) as place
    left join unnest($4::text[], $5::int[]) as r (name, room) on name = trigger_name
    where room is null or place.place <= room`,
  isAwaited: 'e.order_key is not null or e.trigger_name = any($4)',
})

/**
 * Of what waits for the events $1, that have ended, the next of each key is claimed; not of the triggers in $4, which are paused.
 * It is given again to who has it already and did not hear of that, since a connection was lost.
 */
const claimNext = `
  update trellis.event_log as e set
    locked = now() + make_interval(secs => $2), locked_by = $3, next_retry_at = nullif(e.next_retry_at, 'infinity')
  from (
    select distinct next.id from trellis.event_log as ended cross join lateral (
      select id from trellis.event_log as later
      where ${sameKey('later', 'ended')} and ${isOpen('later')}
      order by seq limit 1) as next
    where ended.id = any($1)) as next
  where e.id = next.id and ${isOpen('e')} and (e.locked is null or e.locked <= now() or e.locked_by = $3)
    and e.trigger_name <> all($4)
    and (e.next_retry_at is null or e.next_retry_at = 'infinity' or e.next_retry_at <= now())
  returning ${claimedEvent('true', 'coalesce(e.next_retry_at, e.created_at)')}`

/** The log of attempts is written for who lost the lease meanwhile, too; the state is not. */
const record = `
  with outcome as materialized (
    select * from ${outcomeRows}),
  logged as (
    insert into trellis.event_invocation_logs (event_id, trigger_name, status, request, response)
    select o.id, e.trigger_name, o.status, o.request::json, o.response::json
    from outcome o join trellis.event_log e on e.id = o.id where o.status is not null)
  update trellis.event_log as e set
    delivered = (o.state = 'delivered'), error = (o.state = 'error'),
    tries = e.tries + (o.status is not null)::int, locked = null, locked_by = null,
    next_retry_at = case when o.state in ('retry', 'later') then now() + make_interval(secs => o.delay) end
  from outcome o where e.id = o.id and e.locked_by = $7`

/**
 * What waits for triggers that do not, or no more, or for nothing: somebody else took away what was before it. Workers are told
 * when there was any.
 */
const unpark = `
  with unparked as (
    update trellis.event_log as e set next_retry_at = now()
    where ${isOpen('e')} and coalesce(next_retry_at, created_at) = 'infinity' and trigger_name <> all($1)
      and (order_key is null or not exists (select from trellis.event_log as earlier where ${before('earlier', 'e')}))
    returning 1)
  select pg_notify('trellis_delivery', 'events') from unparked limit 1`

/** Milliseconds between two looks where there is no trigger that could write an event. */
const longestPause = 60_000

/** Milliseconds between two looks for such events. */
const unparkEvery = 60_000

interface FoundEvent extends ClaimedEvent, Row {
  /** It waits for another one, and is not claimed. */
  readonly is_parked: boolean
}

export class EventLedger implements Ledger<ClaimedEvent> {
  readonly #options: EventLedgerOptions
  readonly #worker = randomUUID()
  readonly #limits: TriggerLimits
  readonly #passedOver = new PassedOver()
  /** What this worker holds that has an ordering key, by id. */
  readonly #ordered = new Set<string>()
  #unparkedAt = 0
  #isUnparking = false
  /** Whether something behind what was found last may be due. */
  #isMoreDue = false

  constructor(options: EventLedgerOptions) {
    this.#options = options
    this.#limits = new TriggerLimits(() => options.triggers(), options.triggerConcurrency)
  }

  async claim(limit: number): Promise<ClaimedEvent[]> {
    const { names, rooms } = this.#limits.rooms()
    if (names.length === 0) return this.#take(await this.#found(claim, [limit]))
    const start = this.#passedOver.begin(names.filter((_, i) => rooms[i] === 0))
    const found = await this.#found(claimWithin, [limit, names, rooms, this.#passedOver.since(start)])
    const events = this.#take(found)
    const ofTriggers = names.map((name) => events.filter(({ trigger_name }) => trigger_name === name))
    // Behind what filled the room of its trigger, or all that was asked for, there may be more.
    const cutShort = ofTriggers.filter(({ length }, i) => length > 0 && length >= rooms[i]!)
    if (cutShort.length > 0) this.#isMoreDue = true
    const filled = found.length >= limit ? [...cutShort, found] : cutShort
    this.#passedOver.end(start, Math.max(0, ...filled.map((part) => Math.min(...part.map(({ late }) => late)))))
    return events
  }

  async #found(statement: string, [limit, ...more]: readonly unknown[]): Promise<FoundEvent[]> {
    return this.#options.database.rows<FoundEvent>(statement, [limit, leaseSeconds, this.#worker, ...more])
  }

  #take(found: readonly FoundEvent[]): ClaimedEvent[] {
    const events = found.filter((event) => !event.is_parked)
    this.#claimed(events)
    // Where events were parked, or a trigger was cut short, others of the events behind may be due.
    this.#isMoreDue = events.length < found.length
    return events
  }

  #claimed(events: readonly ClaimedEvent[]): void {
    this.#limits.claimed(events)
    for (const { id, is_ordered } of events) if (is_ordered) this.#ordered.add(id)
  }

  #ended(ids: readonly string[]): void {
    this.#limits.ended(ids)
    for (const id of ids) this.#ordered.delete(id)
  }

  async deliver(event: ClaimedEvent, signal: AbortSignal): Promise<Outcome> {
    const { triggers, caller, unknownTrigger } = this.#options
    const trigger = triggers().get(event.trigger_name)
    if (!trigger) {
      unknownTrigger(event)
      return { id: event.id, attempt: null, state: 'later', delay: delayOfUnknown(event.created_at) }
    }
    if (trigger.entry.paused)
      return { id: event.id, attempt: null, state: 'later', delay: delayOfUnknown(event.created_at) }
    const { num_retries: retries, interval_sec: interval, timeout_sec: timeoutSeconds } = trigger.entry.retry_conf
    const { url, headers } = trigger
    const body = bodyOf(event, retries)
    const trace = traceOf(event.payload)
    const attempt = await caller.call({ id: event.id, url, headers, body, timeoutSeconds, trace, signal })
    return outcomeOf(event.id, attempt, event.tries, { retries, interval })
  }

  async record(outcomes: readonly Outcome[]): Promise<readonly ClaimedEvent[]> {
    const { database } = this.#options
    const values = [...outcomeTexts(outcomes), this.#worker]
    const ended = outcomes.flatMap(({ id, state }) => (this.#ordered.has(id) && isFinal(state) ? [id] : []))
    const next: ClaimedEvent[] = []
    if (ended.length === 0) await database.rows(record, values)
    else {
      const work = async (transaction: Transaction) => {
        await transaction.rows(record, values)
        const claiming = [ended, leaseSeconds, this.#worker, this.#paused()]
        return transaction.rows<ClaimedEvent & Row>(claimNext, claiming)
      }
      // The second statement has to see what was parked until the first one got hold of what ended.
      next.push(...(await database.transaction(work, { isolation: 'read-committed' })))
    }
    this.#ended(outcomes.map(({ id }) => id))
    this.#claimed(next)
    return next
  }

  /** The names of triggers whose events are not to be delivered. */
  #paused(): string[] {
    return [...this.#options.triggers().values()].filter(({ entry }) => entry.paused).map(({ name }) => name)
  }

  async renew(ids: readonly string[]): Promise<void> {
    await this.#options.database.rows(
      `update trellis.event_log set locked = now() + make_interval(secs => $2) where id = any($1) and locked_by = $3`,
      [ids, leaseSeconds, this.#worker],
    )
  }

  async release(ids: readonly string[]): Promise<void> {
    await this.#options.database.rows(
      `update trellis.event_log set locked = null, locked_by = null where id = any($1) and locked_by = $2`,
      [ids, this.#worker],
    )
    this.#ended(ids)
  }

  pause(): number {
    const { triggers, interval } = this.#options
    if (this.#isMoreDue) return 0
    if (triggers().size === 0) return longestPause
    if (!this.#isUnparking && performance.now() - this.#unparkedAt > unparkEvery) void this.#unpark()
    return interval()
  }

  /** Beside the claims: to look over long lines takes a while. */
  async #unpark(): Promise<void> {
    this.#isUnparking = true
    try {
      await this.#options.database.rows(unpark, [this.#paused()])
      this.#unparkedAt = performance.now()
    } catch {
      // Claims fail as well then, and tell of it; it is tried again at the next rest.
    } finally {
      this.#isUnparking = false
    }
  }

  backlog(): Promise<Backlog[]> {
    return this.#options.database.rows<Backlog>(`
      select trigger_name as name, count(*)::int as count,
        greatest(0, extract(epoch from now() - min(least(next_retry_at, created_at))))::float8 as age
      from trellis.event_log as e where ${isOpen('e')} group by trigger_name order by 2 desc`)
  }
}

const traceKey = '"trace_context" : '

/**
 * The trace context, which is the last member of an event. PostgreSQL is not asked for it: its operators refuse JSON in which
 * there is the character U+0000 anywhere.
 */
function traceOf(payload: string): string | null {
  const at = payload.lastIndexOf(traceKey)
  const text = at < 0 ? 'null' : payload.slice(at + traceKey.length, payload.lastIndexOf('}')).trim()
  return text === 'null' ? null : text
}

/** What the webhook is sent. The event stands in it as it is stored. */
function bodyOf({ id, created_at, trigger_name, schema_name, table_name, payload, tries }: ClaimedEvent, most: number) {
  const trigger = JSON.stringify({ name: trigger_name })
  const table = JSON.stringify({ schema: schema_name, name: table_name })
  const delivery = JSON.stringify({ current_retry: tries, max_retries: most })
  const head = `{"id":${JSON.stringify(id)},"created_at":"${created_at}","trigger":${trigger},"table":${table}`
  return `${head},"event":${payload},"delivery_info":${delivery}}`
}
