// The ledgers of cron events and one-off events.

import { randomUUID } from 'node:crypto'
import { TrellisError } from '../../sdk/index.ts'
import type { ConfiguredHeader, Model } from '../../sdk/metadata.ts'
import { configuredUrl } from '../../sdk/services.ts'
import { type Database, encodeArray, type PreparedStatement, prepare } from '../../sdk/sql.ts'
import {
  type Backlog,
  byIndexes,
  ClaimBounds,
  type ClaimStart,
  delayOfUnknown,
  failureStatus,
  isLeaseOver,
  type Ledger,
  leaseSeconds,
  mostClaimedBytes,
  noHeaders,
  type Outcome,
  type Overlooked,
  outcomeOf,
  outcomeRows,
  outcomeTexts,
  type ReceiverCaller,
  resolveHeaders,
  type Settled,
} from '../delivery/index.ts'
import { cronTriggersOf, inconsistentCronTriggers, type ResolvedCronTrigger } from './metadata.ts'
import { retryDefaults, type ScheduledRetryConf } from './schema.ts'

/** The columns that both kinds of event have. */
export interface ClaimedEvent {
  readonly id: string
  readonly scheduled_time: string
  readonly tries: number
  /** Seconds since it was due. */
  readonly late: number
}

export interface ClaimedCronEvent extends ClaimedEvent {
  readonly trigger_name: string
}

export interface ClaimedOneOffEvent extends ClaimedEvent {
  readonly webhook: string
  readonly headers: readonly ConfiguredHeader[]
  readonly retry_conf: ScheduledRetryConf
  /** JSON text; null: no payload. */
  readonly payload: string | null
  readonly comment: string | null
  readonly size: number
}

export interface LedgerOptions {
  readonly database: Pick<Database, 'rows' | 'texts'>
  readonly caller: ReceiverCaller
  /** The longest time between polls in milliseconds, whatever the next due time is. */
  interval(): number
}

/** The columns of a row. */
type Columns = readonly (string | null)[]

interface LedgerTable<Item extends ClaimedEvent> {
  readonly table: string
  readonly logs: string
  /** The columns of this kind alone, as claimed. */
  readonly columns: string
  /** Those that may be large. */
  readonly large: readonly string[]
  /** Reads these columns. */
  read(event: ClaimedEvent, columns: Columns): Item
  /** The name of the trigger, in SQL. */
  readonly trigger: string
  /** The names of triggers whose events are left to other instances; absent: this kind has no triggers. */
  readonly unserved?: () => Iterable<string>
  /** The topic of its notifications. */
  readonly topic: string
}

type Named = Pick<LedgerTable<ClaimedEvent>, 'table' | 'logs' | 'columns' | 'large' | 'trigger'>

/** A condition: the trigger is not among the names in a parameter; null has no names. */
const isNotOf = (trigger: string, place: number): string => `(${trigger} = any ($${place}::text[])) is not true`

/** The stored bytes of columns. */
const bytesOf = (columns: readonly string[]): string =>
  ['0', ...columns.map((column) => `coalesce(pg_column_size(${column}), 0)`)].join(' + ')

const dueTime = 'coalesce(next_retry_at, scheduled_time)'

/** A condition: a time is at most as many seconds ago as a parameter says; null: any time. */
const isSince = (time: string, place: number): string =>
  `${time} >= coalesce(now() - make_interval(secs => $${place}), '-infinity')`

/**
 * Claims due events, and those whose lease is over. Each comes with the seconds since it was due, null for the end of a lease, and
 * with whether there may be more. Events that were due more than $5 seconds ago are not read.
 */
const claimFrom = ({ table, columns, large, trigger }: Named): string => `
  with due as materialized (
    select id, ${bytesOf(large)} as size, ${dueTime} as due_at from trellis.${table}
    where status = 'scheduled' and ${dueTime} <= now() and ${isSince(dueTime, 5)} and ${isNotOf(trigger, 4)}
    order by ${dueTime} limit $1 for update skip locked),
  expired as materialized (
    select id, ${bytesOf(large)} as size, null::timestamptz as due_at from trellis.${table}
    where status = 'locked' and ${isLeaseOver('locked')} and ${isSince('locked', 5)} and ${isNotOf(trigger, 4)}
    limit $1 for update skip locked),
  found as materialized (
    select id, due_at, sum(size) over (rows unbounded preceding) - size as before
    from (select * from expired union all select * from due) as each),
  rest as materialized (
    select (select count(*) from due) >= $1 or (select count(*) from expired) >= $1
      or exists (select from found where before > ${mostClaimedBytes}) as is_more)
  update trellis.${table} as e set status = 'locked', locked = now() + make_interval(secs => $2), locked_by = $3
  from found, rest where e.id = found.id and found.before <= ${mostClaimedBytes}
  returning e.id, e.tries, to_char(e.scheduled_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    extract(epoch from clock_timestamp() - e.scheduled_time)::float8,
    extract(epoch from clock_timestamp() - found.due_at)::float8, rest.is_more, ${columns}`

/** The events before the claims' bounds: due for more than $2 seconds, or with a lease that ended before that. */
const lookIn = ({ table, trigger }: Named): string => {
  const before = (time: string, condition: string) => `
    select ${trigger} as name, extract(epoch from now() - ${time})::float8 as late from trellis.${table}
    where ${condition} and ${time} <= now() - make_interval(secs => $2) and ${isNotOf(trigger, 1)}`
  return `
    select coalesce(name, '') as name, max(late) as late from (
      ${before(dueTime, `status = 'scheduled'`)} union all ${before('locked', `status = 'locked'`)}) as overlooked
    group by 1`
}

/** Logs the attempt even if the lease was lost, but does not change the state then. A repeated record changes nothing. */
const recordIn = ({ table, logs }: Named): string => `
  with outcome as materialized (
    select * from ${outcomeRows}),
  logged as (
    insert into trellis.${logs} (id, event_id, status, request, response)
    select o.attempt, o.id, o.status, o.request::json, o.response::json
    from outcome o join trellis.${table} e on e.id = o.id where o.status is not null
    on conflict (id) do nothing)
  update trellis.${table} as e set
    status = case when o.state in ('retry', 'later') then 'scheduled' else o.state end,
    tries = e.tries + (o.status is not null)::int, locked = null, locked_by = null,
    next_retry_at = case when o.state in ('retry', 'later') then now() + make_interval(secs => o.delay) end
  from outcome o where e.id = o.id and e.locked_by = $9 and e.tries = o.tries`

abstract class ScheduledLedger<Item extends ClaimedEvent> implements Ledger<Item> {
  protected readonly caller: ReceiverCaller
  readonly #database: Pick<Database, 'rows' | 'texts'>
  readonly #interval: () => number
  readonly #table: LedgerTable<Item>
  readonly #worker = randomUUID()
  readonly #bounds = new ClaimBounds()
  readonly #claim: PreparedStatement
  readonly #record: PreparedStatement

  constructor({ database, caller, interval }: LedgerOptions, table: LedgerTable<Item>) {
    this.caller = caller
    this.#database = database
    this.#interval = interval
    this.#table = table
    this.#claim = prepare({ text: claimFrom(table), params: [] })
    this.#record = prepare({ text: recordIn(table), params: [] })
  }

  abstract deliver(item: Item, signal: AbortSignal): Promise<Outcome>

  async claim(limit: number): Promise<Item[]> {
    const unserved = this.#unserved()
    const start = this.#bounds.begin(new Set(unserved))
    this.#bounds.lookWhenDue((began) => this.#look(began))
    const since = this.#bounds.since(start)
    const own = [encodeArray(unserved), since === null ? null : String(since)]
    const values = [String(limit), String(leaseSeconds), this.#worker, ...own]
    const rows = await this.#database.texts(this.#claim, values, { settings: byIndexes })
    this.#moveBounds(start, rows)
    return rows.map(([id, tries, time, late, , , ...columns]) => {
      return this.#table.read({ id: id!, tries: Number(tries), scheduled_time: time!, late: Number(late) }, columns)
    })
  }

  /** Moves the bounds to the last claimed event if there may be more. */
  #moveBounds(start: ClaimStart, rows: readonly Columns[]): void {
    const isMore = rows.some(([, , , , , more]) => more === 't')
    const due = rows.flatMap(([, , , , seconds = null]) => (seconds === null ? [] : [Number(seconds)]))
    this.#bounds.end(start, { late: isMore ? Math.min(Number.POSITIVE_INFINITY, ...due) : 0, lateOf: new Map() })
    // Further leases may be over.
    if (due.length < rows.length && isMore) this.#bounds.expire()
  }

  async #look(began: number): Promise<void> {
    const values = [this.#unserved(), this.#bounds.lookEnd]
    this.#bounds.looked(began, await this.#database.rows<Overlooked>(lookIn(this.#table), values))
  }

  /** Scheduled events do not wait for each other. */
  async record(settled: readonly Settled<Item>[]): Promise<readonly never[]> {
    await this.#database.texts(this.#record, [...outcomeTexts(settled), this.#worker], { settings: byIndexes })
    return []
  }

  async renew(ids: readonly string[]): Promise<string[]> {
    const renewed = await this.#database.rows<{ id: string }>(
      `update trellis.${this.#table.table} set locked = now() + make_interval(secs => $2)
       where id = any($1) and locked_by = $3 returning id`,
      [ids, leaseSeconds, this.#worker],
    )
    return renewed.map(({ id }) => id)
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#release('id = any($1)', ids)
  }

  releaseUnknown(known: readonly string[]): Promise<void> {
    return this.#release('id <> all($1)', known)
  }

  async #release(condition: string, ids: readonly string[]): Promise<void> {
    this.#bounds.expire()
    const { table, topic } = this.#table
    await this.#database.rows(
      `with released as (
         update trellis.${table} set status = 'scheduled', locked = null, locked_by = null
         where ${condition} and status = 'locked' and locked_by = $2 returning 1)
       select pg_notify('trellis_delivery', '${topic}') from released limit 1`,
      [ids, this.#worker],
    )
  }

  #unserved(): string[] {
    return [...(this.#table.unserved?.() ?? [])]
  }

  /** Until the next due time or the end of a lease, limited in case a notification of a new event is lost. */
  async pause(): Promise<number> {
    const { table, trigger } = this.#table
    const first = (time: string, status: string) =>
      `(select min(${time}) from trellis.${table}
        where status = '${status}' and ${isSince(time, 2)} and ${isNotOf(trigger, 1)})`
    const unserved = this.#unserved()
    const since = this.#bounds.since(this.#bounds.begin(new Set(unserved)))
    const [row] = await this.#database.rows<{ wait: number | null }>(
      `select (extract(epoch from least(${first(dueTime, 'scheduled')},
        ${first('locked', 'locked')}) - clock_timestamp()) * 1000)::float8 as wait`,
      [unserved, since],
    )
    const longest = Math.min(this.#interval(), this.#bounds.pause())
    return Math.min(longest, Math.max(1, Math.ceil(row?.wait ?? longest)))
  }

  /** Future events are not part of the backlog. */
  backlog(): Promise<Backlog[]> {
    const { table, trigger } = this.#table
    return this.#database.rows<Backlog>(`
      select ${trigger} as name, count(*)::int as count,
        extract(epoch from now() - min(scheduled_time))::float8 as age
      from trellis.${table} where status in ('scheduled', 'locked') and scheduled_time <= now() group by 1`)
  }
}

/** Whether an event is too late to be delivered. */
const isTooLate = ({ late }: ClaimedEvent, { tolerance_seconds }: ScheduledRetryConf): boolean =>
  late > tolerance_seconds

const dead = (id: string): Outcome => ({ id, attempt: null, state: 'dead', delay: 0 })

interface Body {
  readonly event: ClaimedEvent
  readonly name: string | null
  /** JSON text. */
  readonly payload: string
  readonly comment: string | null
}

/** The payload for the webhook; `created_at` is the time of this attempt. */
function bodyOf({ event, name, payload, comment }: Body): string {
  const time = event.scheduled_time.replace(/\.?0+Z$/, 'Z')
  const members = [
    ['id', JSON.stringify(event.id)],
    ['name', JSON.stringify(name)],
    ['scheduled_time', JSON.stringify(time)],
    ['payload', payload],
    ['comment', JSON.stringify(comment)],
    ['created_at', JSON.stringify(new Date().toISOString())],
  ]
  return `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`
}

const retryRule = ({ num_retries: retries, retry_interval_seconds: interval }: ScheduledRetryConf) => ({
  retries,
  interval,
})

/** The ledger of cron events. */
export class CronLedger extends ScheduledLedger<ClaimedCronEvent> {
  readonly #triggers: () => ReadonlyMap<string, ResolvedCronTrigger>

  constructor(options: LedgerOptions, model: () => Model) {
    super(options, {
      table: 'hdb_cron_events',
      logs: 'hdb_cron_event_invocation_logs',
      columns: 'e.trigger_name',
      large: [],
      read: (event, [name]) => ({ ...event, trigger_name: name! }),
      trigger: 'trigger_name',
      // Another instance may serve them, for example with another environment.
      unserved: () => inconsistentCronTriggers(model()).keys(),
      topic: 'cron',
    })
    this.#triggers = () => cronTriggersOf(model())
  }

  async deliver(event: ClaimedCronEvent, signal: AbortSignal): Promise<Outcome> {
    const trigger = this.#triggers().get(event.trigger_name)
    if (!trigger) return { id: event.id, attempt: null, state: 'later', delay: delayOfUnknown(event.scheduled_time) }
    const { name, payload = null, comment = null, retry_conf = retryDefaults } = trigger.entry
    if (isTooLate(event, retry_conf)) return dead(event.id)
    const { id, tries } = event
    const body = bodyOf({ event, name, payload: JSON.stringify(payload), comment })
    const timeoutSeconds = retry_conf.timeout_seconds
    const call = { id, tries, body, timeoutSeconds, trace: null, signal, transforms: trigger.entry }
    return outcomeOf(id, await this.caller.call(trigger.receiver, call), tries, retryRule(retry_conf))
  }
}

/** The ledger of one-off events. */
export class OneOffLedger extends ScheduledLedger<ClaimedOneOffEvent> {
  readonly #environment: (name: string) => string | undefined

  constructor(options: LedgerOptions, environment: (name: string) => string | undefined) {
    super(options, {
      table: 'hdb_scheduled_events',
      logs: 'hdb_scheduled_event_invocation_logs',
      // `#>>` refuses invalid Unicode, and one such event would prevent the claim of all others.
      columns: 'e.webhook_conf, e.header_conf, e.retry_conf, e.payload, e.comment',
      large: ['webhook_conf', 'header_conf', 'payload', 'comment'],
      read: (event, [webhook, headers, retrying, payload = null, comment = null]) => ({
        ...{ ...event, webhook: JSON.parse(webhook!), headers: JSON.parse(headers!) },
        ...{ retry_conf: JSON.parse(retrying!), payload, comment },
        size: [webhook, headers, payload, comment].reduce((sum, text) => sum + (text?.length ?? 0), 0),
      }),
      trigger: 'null::text',
      topic: 'one-off',
    })
    this.#environment = environment
  }

  async deliver(event: ClaimedOneOffEvent, signal: AbortSignal): Promise<Outcome> {
    if (isTooLate(event, event.retry_conf)) return dead(event.id)
    const body = bodyOf({ event, name: null, payload: event.payload ?? 'null', comment: event.comment })
    const place = this.#place(event)
    if (place.refusal !== undefined) {
      const attempt = this.caller.webhooks.failed({ headers: noHeaders, body }, place.refusal, failureStatus.other)
      return { id: event.id, attempt, state: 'error', delay: 0 }
    }
    const timeoutSeconds = event.retry_conf.timeout_seconds
    const call = { id: event.id, body, timeoutSeconds, trace: null, signal }
    const attempt = await this.caller.webhooks.call(place, call)
    return outcomeOf(event.id, attempt, event.tries, retryRule(event.retry_conf))
  }

  /** The URL and headers, or the reason why they cannot be resolved. */
  #place({ webhook, headers }: ClaimedOneOffEvent) {
    try {
      return {
        url: configuredUrl(webhook, this.#environment),
        headers: resolveHeaders(headers, this.#environment),
      }
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      return { refusal: error.message }
    }
  }
}
