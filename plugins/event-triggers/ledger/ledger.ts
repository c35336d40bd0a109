// The event log as the ledger of a delivery worker.

import { randomUUID } from 'node:crypto'
import type { Model } from '../../../sdk/metadata.ts'
import { isJsonObject } from '../../../sdk/services.ts'
import { type Database, encodeArray, type Transaction } from '../../../sdk/sql.ts'
import {
  type Backlog,
  byIndexes,
  ClaimBounds,
  type ClaimStart,
  delayOfUnknown,
  isFinal,
  type Ledger,
  leaseSeconds,
  type Outcome,
  type Overlooked,
  outcomeOf,
  outcomeTexts,
  type ReceiverCaller,
  type Settled,
} from '../../delivery/index.ts'
import { eventTriggersOf, inconsistentTriggers } from '../metadata.ts'
import type { ResolvedTrigger } from '../resolving.ts'
import { longestPollMillis, pausedSeconds, sharePollMillis, waitingPollMillis } from '../tuning.ts'
import { Activity } from './activity.ts'
import {
  type ClaimedEvent,
  claim,
  claimNext,
  type Found,
  isOpen,
  look,
  lookAtOrder,
  type OrderLook,
  readEvent,
  readFound,
  record,
  release,
  releaseUnknown,
  unpark,
  watchLog,
} from './ledger-statements.ts'
import { type LimitedTriggers, mayBegin, type Rooms, roomsOf } from './limits.ts'
import { OrderBounds } from './order-bounds.ts'
import { UnparkTimes } from './unpark-times.ts'

export interface EventLedgerOptions {
  readonly database: Pick<Database, 'rows' | 'texts' | 'transaction'>
  readonly caller: Pick<ReceiverCaller, 'call'>
  /** The current model. */
  model(): Model
  /** Listeners that no plugin of this server declares; absent: none are known. */
  undeclared?(): ReadonlySet<string>
  /** The concurrency of triggers that configure none; 0: a share of the pool. */
  readonly triggerConcurrency: number
  /** Deliveries at once. */
  readonly pool: number
  /** Milliseconds between polls of an empty log. */
  interval(): number
  /** Called for events whose trigger is not served here. */
  unknownTrigger(event: ClaimedEvent): void
}

export class EventLedger implements Ledger<ClaimedEvent> {
  readonly #options: EventLedgerOptions
  readonly #worker = randomUUID()
  readonly #bounds = new ClaimBounds()
  readonly #orderBounds = new OrderBounds()
  readonly #activity = new Activity()
  /** The triggers that have more due events than their share of the pool has room for. */
  readonly #crowded = new Set<string>()
  readonly #unparkTimes = new UnparkTimes()
  #isUnparking = false
  /** Milliseconds until more may be due, by the last claim; null: none is known. */
  #rest: number | null = null

  constructor(options: EventLedgerOptions) {
    this.#options = options
  }

  async claim(limit: number, held: Iterable<ClaimedEvent>): Promise<ClaimedEvent[]> {
    const rooms = roomsOf(this.#limited(), held)
    const start = this.#bounds.begin(new Set(rooms.names.filter((_, i) => rooms.rooms[i] === 0)))
    this.#bounds.lookWhenDue((began) => this.#look(began))
    const found = await this.#found(limit, rooms, this.#bounds.since(start))
    return this.#take(found, rooms, start)
  }

  #limited(): LimitedTriggers {
    const { triggerConcurrency: standard, pool } = this.#options
    const unserved = this.#unserved()
    return { served: this.#triggers(), unserved, standard, pool, activity: this.#activity }
  }

  mayBegin({ trigger_name: name }: ClaimedEvent): boolean {
    return mayBegin(name, this.#limited())
  }

  async #found(limit: number, { names, rooms, others }: Rooms, since: number | null): Promise<Found[]> {
    const numbers = [since, others].map((number) => (number === null ? null : String(number)))
    const own = [encodeArray(names), encodeArray(rooms), ...numbers, ...this.#seqBounds()]
    const values = [String(limit), String(leaseSeconds), this.#worker, ...own]
    return (await this.#options.database.texts(claim, values, { settings: byIndexes })).map(readFound)
  }

  /** The parameters of statements that look for events before others. */
  #seqBounds(): string[] {
    const { names, seqs, others } = this.#orderBounds.bounds
    return [encodeArray(names), encodeArray(seqs), String(others)]
  }

  #take(found: readonly Found[], { names, rooms, others, sharing }: Rooms, start: ClaimStart): ClaimedEvent[] {
    const events = found.filter((each) => each.state === 'free')
    for (const { trigger_name: name, ordered_seq: seq } of events)
      if (seq !== null) this.#orderBounds.claimed(name, seq)
    const last = found.find(({ state }) => state === 'last')
    // A worker that always finds more does not rest.
    if (last) this.#unparkWhenDue()
    const waiting = found.filter(({ state }) => state === 'waiting' || state === 'left')
    const roomOf = new Map(names.map((name, i) => [name, rooms[i]!]))
    const byTrigger = Map.groupBy(events, ({ trigger_name: name }) => name)
    // After events that used up the room of their trigger there may be more.
    const cutShort = [...byTrigger].filter(
      ([name, of]) => of.length >= (roomOf.get(name) ?? others ?? Number.POSITIVE_INFINITY),
    )
    this.#bounds.end(start, {
      late: last?.late ?? 0,
      lateOf: leastLate([...cutShort.flatMap(([, of]) => of), ...waiting]),
    })
    for (const [name, room] of roomOf) if (room > 0) this.#crowded.delete(name)
    for (const [name] of cutShort) if (sharing.has(name) || !roomOf.has(name)) this.#crowded.add(name)
    // If events were parked, later ones may be due; events that were left are due.
    if (cutShort.length > 0 || found.some(({ state }) => state === 'parked' || state === 'left')) this.#rest = 0
    else this.#rest = waiting.length > 0 ? waitingPollMillis : null
    // The end of an event makes room for the next one of a trigger with a limit of its own.
    return events.map((each) =>
      roomOf.has(each.trigger_name) && !sharing.has(each.trigger_name) ? { ...each, is_awaited: true } : each,
    )
  }

  async deliver(event: ClaimedEvent, signal: AbortSignal): Promise<Outcome> {
    this.#activity.began(event.trigger_name)
    try {
      return await this.#deliver(event, signal)
    } finally {
      this.#activity.ended(event.trigger_name)
    }
  }

  async #deliver(event: ClaimedEvent, signal: AbortSignal): Promise<Outcome> {
    const { caller, unknownTrigger } = this.#options
    const trigger = this.#triggers().get(event.trigger_name)
    if (!trigger) {
      unknownTrigger(event)
      return { id: event.id, attempt: null, state: 'later', delay: delayOfUnknown(event.created_at) }
    }
    // It was paused after the claim: it is claimed again when this instance knows that it was resumed.
    if (trigger.entry.paused) return { id: event.id, attempt: null, state: 'later', delay: pausedSeconds }
    const { num_retries: retries, interval_sec: interval, timeout_sec: timeoutSeconds } = trigger.entry.retry_conf
    const { receiver } = trigger
    const { id, tries } = event
    const body = bodyOf(event, retries)
    const trace = traceOf(event.payload)
    const { entry: transforms } = trigger
    const call = { id, tries, body, timeoutSeconds, trace, signal, transforms, sessionOf: sessionVariablesOf }
    const attempt = await caller.call(receiver, call)
    return outcomeOf(id, attempt, tries, { retries, interval })
  }

  async record(settled: readonly Settled<ClaimedEvent>[]): Promise<readonly ClaimedEvent[]> {
    const { database } = this.#options
    const values = [...outcomeTexts(settled), this.#worker]
    const ended = settled.filter(({ item, outcome }) => item.ordered_seq !== null && isFinal(outcome.state))
    if (ended.length === 0) {
      await database.texts(record, values, { settings: byIndexes })
      return []
    }
    const ids = encodeArray(ended.map(({ item }) => item.id))
    const work = async (transaction: Transaction) => {
      await transaction.texts(record, values)
      const claiming = [ids, String(leaseSeconds), this.#worker, encodeArray(this.#paused()), ...this.#seqBounds()]
      return (await transaction.texts(claimNext, claiming)).map(readEvent)
    }
    // The second statement must see the events that were parked until the first one had locked the ended events.
    return database.transaction(work, { isolation: 'read-committed', settings: byIndexes })
  }

  /** The served event triggers, by name. */
  #triggers(): ReadonlyMap<string, ResolvedTrigger> {
    return eventTriggersOf(this.#options.model())
  }

  /** The names of triggers that other servers may serve. */
  #unserved(): ReadonlySet<string> {
    const inconsistent = inconsistentTriggers(this.#options.model())
    const undeclared = this.#options.undeclared?.()
    return undeclared?.size ? new Set([...inconsistent, ...undeclared]) : inconsistent
  }

  /** The names of the paused triggers. */
  #paused(): string[] {
    return [...this.#triggers().values()].filter(({ entry }) => entry.paused).map(({ name }) => name)
  }

  async renew(ids: readonly string[]): Promise<string[]> {
    const renewed = await this.#options.database.rows<{ id: string }>(
      `update trellis.event_log set locked = now() + make_interval(secs => $2) where id = any($1) and locked_by = $3 returning id`,
      [ids, leaseSeconds, this.#worker],
    )
    return renewed.map(({ id }) => id)
  }

  async release(ids: readonly string[]): Promise<void> {
    this.#bounds.expire()
    await this.#options.database.rows(release, [ids, this.#worker])
  }

  async releaseUnknown(known: readonly string[]): Promise<void> {
    this.#bounds.expire()
    await this.#options.database.rows(releaseUnknown, [known, this.#worker])
  }

  pause(): number {
    const { interval } = this.#options
    if (this.#rest !== null) return this.#rest
    if (this.#triggers().size === 0) return longestPollMillis
    const share = this.#crowded.size > 0 ? sharePollMillis : Number.POSITIVE_INFINITY
    return Math.min(share, this.#bounds.pause(), this.#unparkWhenDue(), interval())
  }

  async #look(began: number): Promise<void> {
    const unserved = [...this.#paused(), ...this.#unserved()]
    const found = await this.#options.database.rows<Overlooked>(look, [unserved, this.#bounds.lookEnd])
    this.#bounds.looked(began, found)
    if (this.#bounds.isCostly) {
      const [order] = await this.#options.database.rows<OrderLook>(lookAtOrder)
      if (order) this.#orderBounds.looked(order)
    } else this.#orderBounds.reset()
    this.#activity.keep(this.#triggers())
  }

  /** Starts the unpark job when it is due; gives the milliseconds until then, infinite while it runs. */
  #unparkWhenDue(): number {
    if (this.#isUnparking || this.#triggers().size === 0) return Number.POSITIVE_INFINITY
    const wait = this.#unparkTimes.wait(this.#paused(), performance.now())
    if (wait > 0) return wait
    void this.#unpark()
    return Number.POSITIVE_INFINITY
  }

  /** Runs beside the claims, because a long backlog takes a while. */
  async #unpark(): Promise<void> {
    this.#isUnparking = true
    const began = performance.now()
    try {
      const { names, seqs, others } = this.#orderBounds.bounds
      const values = [this.#paused(), this.#options.model().resourceVersion, names, seqs, others]
      const [look] = await this.#options.database.rows<{ is_known: boolean }>(unpark, values)
      if (look?.is_known) this.#unparkTimes.looked(began)
    } catch {
      // Claims fail as well then and report the error; the next rest tries again.
    } finally {
      this.#isUnparking = false
    }
  }

  async watch(millis: number): Promise<void> {
    await this.#options.database.rows(watchLog, [millis])
  }

  backlog(): Promise<Backlog[]> {
    return this.#options.database.rows<Backlog>(`
      select trigger_name as name, count(*)::int as count,
        greatest(0, extract(epoch from now() - min(least(next_retry_at, created_at))))::float8 as age
      from trellis.event_log as e where ${isOpen('e')} group by trigger_name order by 2 desc`)
  }
}

/** For each trigger the fewest seconds for which one of these events was due. */
function leastLate(events: readonly Pick<ClaimedEvent, 'trigger_name' | 'late'>[]): ReadonlyMap<string, number> {
  const least = new Map<string, number>()
  for (const { trigger_name: name, late } of events) least.set(name, Math.min(least.get(name) ?? late, late))
  return least
}

const traceKey = '"trace_context" : '

/** The session variables in the body of a delivery; null: the rows were changed by SQL. */
function sessionVariablesOf(body: unknown): Readonly<Record<string, unknown>> | null {
  const variables = isJsonObject(body) && isJsonObject(body['event']) ? body['event']['session_variables'] : null
  return isJsonObject(variables) ? variables : null
}

/**
 * The trace context, which is the last member of an event. PostgreSQL's JSON operators cannot read it, because they refuse JSON
 * that contains the character U+0000 anywhere.
 */
function traceOf(payload: string): string | null {
  const at = payload.lastIndexOf(traceKey)
  const text = at < 0 ? 'null' : payload.slice(at + traceKey.length, payload.lastIndexOf('}')).trim()
  return text === 'null' ? null : text
}

/** The payload for the webhook; the event is inserted as stored. */
function bodyOf({ id, created_at, trigger_name, schema_name, table_name, payload, tries }: ClaimedEvent, most: number) {
  const trigger = JSON.stringify({ name: trigger_name })
  const table = JSON.stringify({ schema: schema_name, name: table_name })
  const delivery = JSON.stringify({ current_retry: tries, max_retries: most })
  const head = `{"id":${JSON.stringify(id)},"created_at":"${created_at}","trigger":${trigger},"table":${table}`
  return `${head},"event":${payload},"delivery_info":${delivery}}`
}
