// The event log as a delivery worker sees it: what is due, and how one event is delivered.

import { randomUUID } from 'node:crypto'
import type { Database } from '../../sdk/sql.ts'
import {
  type Backlog,
  delayOfUnknown,
  type Ledger,
  leaseSeconds,
  type Outcome,
  outcomeOf,
  outcomeRows,
  outcomeTexts,
  type WebhookCaller,
} from '../delivery/index.ts'
import type { ResolvedTrigger } from './metadata.ts'

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
  /** Whether it has an ordering key, and others wait for it. */
  readonly is_ordered: boolean
  /** Seconds since it may have been delivered. */
  readonly late: number
}

export interface EventLedgerOptions {
  readonly database: Pick<Database, 'rows'>
  readonly caller: WebhookCaller
  /** The event triggers that are served, by name. */
  triggers(): ReadonlyMap<string, ResolvedTrigger>
  /** Milliseconds until an empty log is looked at again. */
  interval(): number
  /** Told of events whose trigger is not served. */
  unknownTrigger(event: ClaimedEvent): void
}

const isOpen = 'not delivered and not error and not archived'

/** What has an ordering key waits for all that came before it with the same one. */
const claim = `
  with due as materialized (
    select id, coalesce(next_retry_at, created_at) as due_at from trellis.event_log as l
    where ${isOpen} and coalesce(next_retry_at, created_at) <= now() and (locked is null or locked <= now())
      and (order_key is null or not exists (
        select from trellis.event_log as earlier
        where earlier.trigger_name = l.trigger_name and earlier.order_key = l.order_key and earlier.seq < l.seq
          and not earlier.delivered and not earlier.error and not earlier.archived))
    order by coalesce(next_retry_at, created_at)
    limit $1 for update skip locked)
  update trellis.event_log as e set locked = now() + make_interval(secs => $2), locked_by = $3
  from due where e.id = due.id
  returning e.id, e.trigger_name, e.schema_name, e.table_name, e.payload::text as payload, e.tries,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    order_key is not null as is_ordered, extract(epoch from clock_timestamp() - due_at)::float8 as late`

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

/** What waits for triggers that do not, or no more: it was made while that was decided. */
const unpark = `
  update trellis.event_log set next_retry_at = now()
  where ${isOpen} and coalesce(next_retry_at, created_at) = 'infinity' and trigger_name <> all($1)`

/** Milliseconds between two looks where there is no trigger that could write an event. */
const longestPause = 60_000

/** Milliseconds between two looks for such events. */
const unparkEvery = 60_000

export class EventLedger implements Ledger<ClaimedEvent> {
  readonly #options: EventLedgerOptions
  readonly #worker = randomUUID()
  #unparkedAt = 0

  constructor(options: EventLedgerOptions) {
    this.#options = options
  }

  claim(limit: number): Promise<ClaimedEvent[]> {
    return this.#options.database.rows<ClaimedEvent & Record<string, unknown>>(claim, [
      limit,
      leaseSeconds,
      this.#worker,
    ])
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
    const attempt = await caller.call({ url, headers, body, timeoutSeconds, trace, signal })
    return outcomeOf(event.id, attempt, event.tries, { retries, interval })
  }

  async record(outcomes: readonly Outcome[]): Promise<void> {
    await this.#options.database.rows(record, [...outcomeTexts(outcomes), this.#worker])
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
  }

  async pause(): Promise<number> {
    const { database, triggers, interval } = this.#options
    if (triggers().size === 0) return longestPause
    if (performance.now() - this.#unparkedAt > unparkEvery) {
      this.#unparkedAt = performance.now()
      const paused = [...triggers().values()].filter(({ entry }) => entry.paused).map(({ name }) => name)
      await database.rows(unpark, [paused])
    }
    return interval()
  }

  backlog(): Promise<Backlog[]> {
    return this.#options.database.rows<Backlog>(`
      select trigger_name as name, count(*)::int as count,
        greatest(0, extract(epoch from now() - min(least(next_retry_at, created_at))))::float8 as age
      from trellis.event_log where ${isOpen} group by trigger_name order by 2 desc`)
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
