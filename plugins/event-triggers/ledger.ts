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
  outcomeTexts,
  type WebhookCaller,
} from '../delivery/index.ts'
import { claim, claimNext, claimWithin, isOpen, record, unpark } from './ledger-statements.ts'
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
