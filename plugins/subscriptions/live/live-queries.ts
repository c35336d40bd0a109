// All live queries of the server: who joins which group, and when groups are asked.
//
// Once per interval, and at once after a write of this server, the gate is asked whether anything was written. What does
// not depend on anything but rows is asked again only then.

import type { GraphQLRequest, PlannedRequest, PreparedOperation } from '../../../sdk/graphql.ts'
import { badRequest, type Engine, toTrellisError } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import type { Paces } from '../options.ts'
import { Feeds } from './feeds.ts'
import { type LiveRequest, type LiveSink, type Member, outdated } from './groups/cohort.ts'
import { type BatchReport, Group } from './groups/group.ts'
import { isStream, valuesAt } from './groups/position.ts'
import { Turnstile } from './groups/turnstile.ts'
import { ChangeWatch, type Means } from './hearing/changes.ts'
import { Gate, shows } from './hearing/gate.ts'
import { OwnWrites } from './hearing/own-writes.ts'
import type { HeardCommit } from './hearing/reads.ts'
import { TriggerWatch } from './hearing/triggers.ts'
import { Writes, type WrittenTables } from './hearing/writes.ts'
import { everything, none, noneWanted, unheard, type Wanted, type WantedGroups } from './wanted.ts'

/** A subscription, until it is left. */
export interface LiveSubscription {
  /** Its text is the one of all who ask the same. */
  readonly request: GraphQLRequest
  leave(): void
}

export interface LiveQueriesOptions {
  readonly engine: Engine
  readonly options: Paces
  /** Whether all writes are heard of as they are committed, where the database lets it. */
  readonly hearsChanges: boolean
  onMeans(means: Means | null, reason: string | null): void
  onBatch(batch: BatchReport): void
}

/** Statements for live queries that are at work at once, save those that take longer than so many milliseconds. */
const atOnce = 4
const longMillis = 1000

/** How many of those there may be beside: all together leave two thirds of the connections to requests. */
const longAtOnce = (connections: number): number => Math.max(0, Math.floor(connections / 3) - atOnce)

/** Milliseconds between two looks for the sake of writes. */
const wakeSpacing = 20

/** The longest pause in milliseconds between looks for a commit that others do not see yet. */
const mostPause = 1000

/** Milliseconds by which timers are not exact: intervals that end together are one look. */
const timerTolerance = 15

/** Subscriptions that are planned again in one turn of the event loop. */
const plannedPerTurn = 100

interface Placed {
  readonly key: string
  readonly planned: PlannedRequest
  readonly values: string
}

export class LiveQueries {
  /** Those that no statement answers. */
  readonly feeds: Feeds
  readonly #options: LiveQueriesOptions
  readonly #gate: Gate
  readonly #writes: OwnWrites
  readonly #written: Writes
  readonly #groups = new Map<string, Group>()
  readonly #members = new Set<Member>()
  readonly #turnstile: Turnstile
  /** Of which all groups are. */
  #model: Model | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  readonly #changes: ChangeWatch
  #wanted = noneWanted()
  /** Transactions that may have been heard of before they can be seen: what they wrote, and since when. */
  readonly #awaited = new Map<number, { readonly tables: ReadonlySet<string>; readonly since: number }>()
  /** The next look that does not wait for an interval, and when it is. */
  #woken: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null
  /** How many subscriptions there were. */
  #started = 0
  #lastLook = 0
  readonly #lookedAt = { live: performance.now(), streams: performance.now() }
  #isStopped = false

  constructor(options: LiveQueriesOptions) {
    this.#options = options
    this.feeds = new Feeds(options.engine)
    const { database, settings } = options.engine
    const aside = longAtOnce(settings.connections)
    this.#turnstile = new Turnstile({
      ...{ places: atOnce, aside, patienceMillis: longMillis, percent: settings.callerShare },
    })
    this.#gate = new Gate(database)
    this.#written = new Writes(database)
    this.#writes = new OwnWrites({ database, onWrite: (tables) => this.#wakeUnheard(tables) })
    this.#changes = new ChangeWatch({
      database,
      onCommit: (commit) => this.#heard(commit),
      onMeans: (means, reason) => {
        options.onMeans(means, reason)
        if (means !== null) this.#watchAll()
      },
    })
  }

  /** Begins to hear of writes elsewhere. */
  async begin(): Promise<void> {
    this.#writes.start()
    if (this.#options.hearsChanges) await this.#changes.start()
    // What servers left that ended otherwise than they should.
    else await TriggerWatch.remove(this.#options.engine.database).catch(() => {})
  }

  /** Has the tables of all groups heard of, and looks once: what was written before was not heard. */
  #watchAll(): void {
    this.#awaited.clear()
    for (const group of this.#groups.values()) void this.#watch(group)
    this.#wake(everything)
  }

  async #watch(group: Group): Promise<void> {
    if (!group.isTold || this.#changes.means !== 'triggers') return
    await this.#changes.watch(group.reads.tables)
    // What was written while the triggers were made.
    this.#wake(everything)
  }

  #heard({ tables, transaction }: HeardCommit): void {
    if (this.#members.size === 0) return
    if (!this.#areRead(tables)) return
    if (transaction !== null) this.#awaited.set(transaction, { tables, since: performance.now() })
    this.#wake(tables)
  }

  #areRead(tables: ReadonlySet<string>): boolean {
    for (const group of this.#groups.values()) if (group.readsAny(tables)) return true
    return false
  }

  /** What there is now. */
  get groups(): readonly Group[] {
    return [...this.#groups.values()]
  }

  get counts() {
    let cohorts = 0
    for (const group of this.#groups.values()) cohorts += group.size
    return { subscribers: this.#members.size, groups: this.#groups.size, cohorts, looks: this.#gate.asked }
  }

  /** Subscribes; throws what is wrong with the request, while what the database refuses ends the subscription. */
  start(live: LiveRequest, sink: LiveSink): LiveSubscription {
    const member: Member = {
      id: ++this.#started,
      live,
      sink,
      sent: null,
      cohort: null,
      from: 0,
      position: null,
      times: null,
      isHeld: false,
    }
    this.#renew()
    this.#place(member)
    this.#members.add(member)
    this.#writes.isPresent = true
    this.#schedule()
    return {
      get request() {
        return member.live.request
      },
      leave: () => this.#leave(member),
    }
  }

  /** After a write through this server, by a mutation or otherwise: here and at other instances somebody may wait for it. */
  written(mutation: PreparedOperation | null): void {
    if (this.#members.size === 0 && !this.#writes.isHeard) return
    const tables = mutation && this.#written.of(mutation)
    this.#writes.tell(tables)
    this.#wakeUnheard(tables)
  }

  /** Looks at once for the sake of those who read these tables and do not hear of writes to them otherwise. */
  #wakeUnheard(tables: WrittenTables): void {
    if (this.#members.size === 0 || tables?.size === 0) return
    for (const table of tables ?? []) this.#wanted.own.add(table)
    this.#wake(tables === null ? unheard : none)
  }

  /** Looks for the sake of the groups that read these tables: at once, or after a pause in milliseconds. */
  #wake(tables: Wanted, pause = 0): void {
    if (this.#members.size === 0 || this.#isStopped) return
    if (tables === everything || tables === unheard) this.#wanted.groups.add(tables)
    else for (const table of tables) this.#wanted.tables.add(table)
    const now = performance.now()
    const at = Math.max(now + pause, this.#lastLook + wakeSpacing)
    if (this.#woken && this.#woken.at <= at) return
    if (this.#woken) clearTimeout(this.#woken.timer)
    const look = () => {
      this.#woken = null
      void this.#look()
    }
    this.#woken = { timer: setTimeout(look, at - now), at }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#woken) clearTimeout(this.#woken.timer)
    this.#woken = null
    this.#members.clear()
    this.#abandonGroups()
    await Promise.all([this.#writes.stop(), this.#changes.stop()])
  }

  #leave(member: Member): void {
    if (!this.#members.delete(member)) return
    if (this.#members.size === 0) this.#writes.isPresent = false
    const { cohort } = member
    const group = cohort && this.#groups.get(cohort.key)
    group?.leave(member)
    if (group) this.#dropIfEmpty(group)
  }

  #dropIfEmpty(group: Group): void {
    const { key } = group.options
    if (group.size === 0 && this.#groups.get(key) === group) this.#groups.delete(key)
  }

  /** Plans, and has the subscriber join the group of its plan. */
  #place(member: Member): void {
    const { key, planned, values } = this.#plan(member)
    let group = this.#groups.get(key)
    if (!group) {
      group = this.#createGroup(key, planned, member.live)
      this.#groups.set(key, group)
    }
    // One text for all of them.
    const { request } = group.options
    if (request.query === member.live.request.query) {
      member.live = { ...member.live, request: { ...member.live.request, query: request.query } }
    }
    member.sink.planned(planned)
    // What waits for the rows may give something else by now, though they are the same.
    if (member.sent !== null && !group.isStream && planned.prepared.calls !== null) member.sent = outdated
    group.join(member, values)
  }

  #plan(member: Member): Placed {
    const { request, session, schema } = member.live
    const { engine } = this.#options
    const planned = engine.graphql.plan(request, session, { schema })
    const { prepared } = planned
    // Where the results come from elsewhere by now, who subscribed to rows has to subscribe anew.
    if (!prepared.batch) throw badRequest('not-supported', 'the field that was subscribed to is another one by now')
    const values = valuesAt(prepared, engine.graphql.batchValues(planned, session), member)
    const { name } = prepared.batch
    return { key: JSON.stringify([session.role, session.backendOnly, schema, name]), planned, values }
  }

  #createGroup(key: string, { prepared }: PlannedRequest, { request, session }: LiveRequest): Group {
    const { engine, onBatch } = this.#options
    const model = this.#model
    const { batchSize } = this.#options.options[isStream(prepared) ? 'streams' : 'live']
    return new Group({
      ...{ engine, key, role: session.role, batchSize, onBatch, turnstile: this.#turnstile },
      prepared,
      request: withoutVariables(request),
      onReads: (group) => void this.#watch(group),
      onEmpty: (group) => this.#dropIfEmpty(group),
      isCurrent: () => !this.#isStopped && engine.model === model,
      onStale: () => {
        if (!this.#isStopped) this.#renew()
      },
    })
  }

  /** After a change of the metadata everybody is planned anew, and who may not subscribe any more is told so. */
  #renew(): void {
    const { model } = this.#options.engine
    if (model === this.#model) return
    this.#model = model
    this.#written.clear()
    this.#abandonGroups()
    void this.#renewMembers([...this.#members], model)
  }

  #abandonGroups(): void {
    for (const group of this.#groups.values()) group.abandon()
    this.#groups.clear()
  }

  async #renewMembers(members: readonly Member[], model: Model): Promise<void> {
    for (const [i, member] of members.entries()) {
      if (i > 0 && i % plannedPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
      // Once more changed meanwhile: whoever noticed goes through all of them.
      if (this.#model !== model) return
      if (!this.#members.has(member)) continue
      member.cohort?.members.delete(member)
      member.cohort = null
      try {
        this.#place(member)
      } catch (error) {
        this.#members.delete(member)
        member.sink.end(toTrellisError(error))
      }
    }
    if (this.#members.size === 0) this.#writes.isPresent = false
  }

  /** The kinds of groups that there are. */
  get #kinds(): ReadonlySet<keyof Paces> {
    const kinds = new Set<keyof Paces>()
    for (const group of this.#groups.values()) {
      kinds.add(kindOf(group))
      if (kinds.size === 2) break
    }
    return kinds
  }

  /** Milliseconds until the interval of a kind is over. */
  #left(kind: keyof Paces): number {
    return this.#lookedAt[kind] + this.#options.options[kind].refetchInterval - performance.now()
  }

  /** Looks when the next interval is over. */
  #schedule(): void {
    if (this.#timer || this.#isStopped || this.#members.size === 0) return
    const { live } = this.#options.options
    const waits = [...this.#kinds].map((kind) => this.#left(kind))
    const look = () => {
      this.#timer = null
      void this.#look().finally(() => this.#schedule())
    }
    this.#timer = setTimeout(look, Math.max(1, Math.min(live.refetchInterval, ...waits)))
  }

  /** One look at a time; who asks for one while another is under way needs one that begins later. */
  async #look(): Promise<void> {
    while (this.#looking) await this.#looking
    this.#looking = this.#lookOnce().finally(() => {
      this.#looking = null
    })
    await this.#looking
  }

  async #lookOnce(): Promise<void> {
    this.#renew()
    const kinds = [...this.#kinds].filter((kind) => this.#left(kind) <= timerTolerance)
    this.#lastLook = performance.now()
    for (const kind of kinds) this.#lookedAt[kind] = this.#lastLook
    const wanted = this.#wanted
    this.#wanted = noneWanted()
    const due = [...this.#groups.values()].filter(
      (group) => kinds.includes(kindOf(group)) || this.#isWanted(group, wanted),
    )
    if (due.length === 0 && this.#awaited.size === 0) return
    // Without an answer nobody knows what was written: everybody asks, and is told why there is no answer.
    const snapshot = await this.#gate.look().catch(() => `unknown ${performance.now()}`)
    this.#awaitVisible(snapshot)
    for (const group of due) group.wake(snapshot)
  }

  #isWanted(group: Group, { groups, own, tables }: WantedGroups): boolean {
    if (groups.has(everything) || (tables.size > 0 && group.readsAny(tables))) return true
    // Of what else it may read nobody knows whether it was written.
    const mayRead = groups.has(unheard) || (own.size > 0 && (!group.isTold || group.readsAny(own)))
    return mayRead && !(group.isTold && this.#changes.hears(group.reads.tables))
  }

  /**
   * The log tells of a commit before others see it, by a moment, or by as long as it waits for a standby: then there are
   * further looks, at growing pauses.
   */
  #awaitVisible(snapshot: string): void {
    const now = performance.now()
    for (const [transaction, { tables, since }] of this.#awaited) {
      if (shows(snapshot, transaction)) this.#awaited.delete(transaction)
      else this.#wake(tables, Math.min(mostPause, (now - since) / 2))
    }
  }
}

const kindOf = ({ isStream: streams }: Group): keyof Paces => (streams ? 'streams' : 'live')

const withoutVariables = (request: GraphQLRequest): GraphQLRequest => ({ ...request, variables: null })
