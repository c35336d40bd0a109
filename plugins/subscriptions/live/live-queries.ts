// All live queries of the server: their groups, and when the groups are asked.
//
// Once per interval, and at once after a write through this server, it reads the snapshot of the database. If nothing was
// committed, groups whose answers depend on rows alone are not asked again.

import type { GraphQLRequest, PlannedRequest, PreparedOperation } from '../../../sdk/graphql.ts'
import { toAnswerable } from '../../../sdk/http.ts'
import { badRequest, type Engine } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import type { DecodedCommit } from '../../../sdk/sql.ts'
import type { LiveSettings } from '../options.ts'
import { longestVisibilityPauseMillis, plannedPerTurn, pollSpacingMillis, timerToleranceMillis } from '../tuning.ts'
import { Feeds } from './feeds.ts'
import { type LiveRequest, type LiveSink, type Member, outdated } from './groups/cohort.ts'
import { type BatchReport, Group } from './groups/group.ts'
import { JoinedSink, type SharedJoins } from './groups/joins.ts'
import { Limiter, limitsFor } from './groups/limiter.ts'
import { isStream, valuesAt } from './groups/position.ts'
import { everything, unnotified, type WakeReason, Wanted } from './wanted.ts'
import { ChangeWatch } from './writes/changes.ts'
import { FollowedGroups } from './writes/followed.ts'
import { OwnWrites } from './writes/own-writes.ts'
import { Snapshots, shows } from './writes/snapshots.ts'
import { Writes, type WrittenTables } from './writes/written-tables.ts'

/** A running subscription. */
export interface LiveSubscription {
  /** The request; its text is one object for all subscribers of the group, to save memory. */
  readonly request: GraphQLRequest
  leave(): void
}

export interface LiveQueriesOptions {
  readonly engine: Engine
  readonly options: LiveSettings
  /** Whether to follow all writes as they are committed, if the database allows it. */
  readonly followsChanges: boolean
  /** Called when writes are followed, and when they no longer are; `reason` says why not. */
  onFollowing(isFollowing: boolean, reason: string | null): void
  onBatch(batch: BatchReport): void
}

interface Placement {
  readonly key: string
  readonly planned: PlannedRequest
  readonly values: string
}

export class LiveQueries {
  /** Subscriptions whose results do not come from a statement. */
  readonly feeds: Feeds
  readonly #joins: SharedJoins = new WeakMap()
  readonly #options: LiveQueriesOptions
  readonly #snapshots: Snapshots
  readonly #writes: OwnWrites
  readonly #written: Writes
  readonly #groups = new Map<string, Group>()
  readonly #members = new Set<Member>()
  readonly #limiter: Limiter
  /** The model of all groups. */
  #model: Model | null = null
  #timer: NodeJS.Timeout | null = null
  #polling: Promise<void> | null = null
  readonly #changes: ChangeWatch
  readonly #followed: FollowedGroups
  #wanted = new Wanted()
  /** Transactions that were reported before others can see them, and since when. */
  readonly #awaited = new Map<number, number>()
  /** The next poll that does not wait for an interval, and its time. */
  #scheduled: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null
  /** The number of subscriptions since the start. */
  #started = 0
  #lastPoll = 0
  readonly #polledAt = { live: performance.now(), streams: performance.now() }
  #isStopped = false

  constructor(options: LiveQueriesOptions) {
    this.#options = options
    this.feeds = new Feeds(options.engine)
    const { database, settings } = options.engine
    this.#limiter = new Limiter(limitsFor(settings.connections, settings.callerShare))
    this.#snapshots = new Snapshots(database)
    this.#written = new Writes(database)
    this.#writes = new OwnWrites({ database, onWrite: (tables) => this.#pollUnnotified(tables) })
    this.#changes = new ChangeWatch({
      database,
      columnsOf: (table) => this.#columnsOf(table),
      onCommit: (commit) => this.#committed(commit),
      onFollowing: (isFollowing, reason) => {
        options.onFollowing(isFollowing, reason)
        if (!isFollowing) return
        // Earlier writes were not reported.
        this.#awaited.clear()
        this.#wake(everything)
      },
    })
    this.#followed = new FollowedGroups({ database, changes: this.#changes })
  }

  /** Starts to follow writes from elsewhere. */
  async begin(): Promise<void> {
    this.#writes.start()
    if (this.#options.followsChanges) await this.#changes.start()
  }

  #committed(commit: DecodedCommit): void {
    for (const { reads } of this.#groups.values()) {
      if (!reads.readsAny(commit.tables.keys())) continue
      this.#wake(commit)
      return
    }
  }

  /** The columns of a table whose changed values tell cohorts apart. */
  #columnsOf(table: string): ReadonlySet<string> | null {
    const columns = [...this.#groups.values()].flatMap((group) => [...(group.reads.columnsOf(table) ?? [])])
    return columns.length === 0 ? null : new Set(columns)
  }

  /** The current groups. */
  get groups(): readonly Group[] {
    return [...this.#groups.values()]
  }

  get counts() {
    let cohorts = 0
    for (const group of this.#groups.values()) cohorts += group.size
    return { subscribers: this.#members.size, groups: this.#groups.size, cohorts, polls: this.#snapshots.count }
  }

  /** Subscribes. An invalid request throws; an error of the database ends the subscription. */
  start(live: LiveRequest, sink: LiveSink): LiveSubscription {
    const member: Member = {
      id: ++this.#started,
      live,
      sink,
      joined: null,
      sent: null,
      cohort: null,
      from: 0,
      position: null,
      times: null,
      isPaused: false,
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

  /** Handles a write through this server; null: not a mutation. Subscribers here and on other instances may wait for it. */
  written(mutation: PreparedOperation | null): void {
    if (this.#members.size === 0 && !this.#writes.hasListeners) return
    const tables = mutation && this.#written.of(mutation)
    this.#writes.announce(tables)
    this.#pollUnnotified(tables)
  }

  /** Polls at once for groups that read these tables and are not notified of their writes. */
  #pollUnnotified(tables: WrittenTables): void {
    if (this.#members.size === 0 || tables?.size === 0) return
    this.#wake(tables ?? unnotified)
  }

  /** Polls for groups that these changes concern: at once, or after a pause in milliseconds. */
  #wake(reason: WakeReason, pause = 0): void {
    if (this.#members.size === 0 || this.#isStopped) return
    this.#wanted.add(reason)
    const now = performance.now()
    const at = Math.max(now + pause, this.#lastPoll + pollSpacingMillis)
    if (this.#scheduled && this.#scheduled.at <= at) return
    if (this.#scheduled) clearTimeout(this.#scheduled.timer)
    const poll = () => {
      this.#scheduled = null
      void this.#poll()
    }
    this.#scheduled = { timer: setTimeout(poll, at - now), at }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#scheduled) clearTimeout(this.#scheduled.timer)
    this.#scheduled = null
    this.#members.clear()
    this.#abandonGroups()
    await Promise.all([this.#writes.stop(), this.#changes.stop()])
  }

  #leave(member: Member): void {
    member.joined?.stop()
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

  /** Plans the request, and adds the subscriber to the group of the plan. */
  #place(member: Member): void {
    const { key, planned, values } = this.#plan(member)
    let group = this.#groups.get(key)
    if (!group) {
      group = this.#createGroup(key, planned, member.live)
      this.#groups.set(key, group)
    }
    // One text for the whole group saves memory.
    const { request } = group.options
    if (request.query === member.live.request.query) {
      member.live = { ...member.live, request: { ...member.live.request, query: request.query } }
    }
    this.#addJoins(member, planned)
    // Joined results from outside the database may differ by now, even if the rows are the same.
    if (member.sent !== null && !group.isStream && planned.prepared.calls !== null) member.sent = outdated
    group.join(member, values)
  }

  /** Adds the fields that are resolved elsewhere to the answers of a subscriber, if the plan has some. */
  #addJoins(member: Member, planned: PlannedRequest): void {
    const { sink, live: request } = member
    if (planned.prepared.calls !== null && !member.joined) {
      member.joined = new JoinedSink({ engine: this.#options.engine, joins: this.#joins, request, sink })
      member.sink = member.joined
    }
    member.joined?.planned(planned)
  }

  #plan(member: Member): Placement {
    const { request, session, schema } = member.live
    const { engine } = this.#options
    const planned = engine.graphql.plan(request, session, { schema })
    const { prepared } = planned
    // The root field may come from a remote schema now; its subscription runs as a feed.
    if (!prepared.batch) throw badRequest('not-supported', 'the field that was subscribed to is another one by now')
    const values = valuesAt(prepared, engine.graphql.batchValues(planned, session), member)
    const { name } = prepared.batch
    return { key: JSON.stringify([session.role, session.backendOnly, session.readOnly, schema, name]), planned, values }
  }

  #createGroup(key: string, { prepared }: PlannedRequest, { request, session }: LiveRequest): Group {
    const { engine, onBatch } = this.#options
    const model = this.#model
    const { batchSize } = this.#options.options[isStream(prepared) ? 'streams' : 'live']
    return new Group({
      ...{ engine, key, role: session.role, batchSize, onBatch, limiter: this.#limiter },
      prepared,
      request: withoutVariables(request),
      snapshot: this.#snapshots.statement,
      onUnseen: (commit) => this.#await(commit),
      onEmpty: (group) => this.#dropIfEmpty(group),
      isCurrent: () => !this.#isStopped && engine.model === model,
      onStale: () => {
        if (!this.#isStopped) this.#renew()
      },
    })
  }

  /** Replans all subscribers after a metadata change; those without permission now get an error. */
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
      // The model changed again: the newer call replans all of them.
      if (this.#model !== model) return
      if (!this.#members.has(member)) continue
      member.cohort?.members.delete(member)
      member.cohort = null
      try {
        this.#place(member)
      } catch (error) {
        this.#members.delete(member)
        member.sink.end(toAnswerable(error, this.#options.engine.observe))
      }
    }
    if (this.#members.size === 0) this.#writes.isPresent = false
  }

  /** The kinds of the current groups. */
  get #kinds(): ReadonlySet<keyof LiveSettings> {
    const kinds = new Set<keyof LiveSettings>()
    for (const group of this.#groups.values()) {
      kinds.add(kindOf(group))
      if (kinds.size === 2) break
    }
    return kinds
  }

  /** Milliseconds until the interval of a kind ends. */
  #left(kind: keyof LiveSettings): number {
    return this.#polledAt[kind] + this.#options.options[kind].refetchInterval - performance.now()
  }

  /** Schedules the poll at the end of the next interval. */
  #schedule(): void {
    if (this.#timer || this.#isStopped || this.#members.size === 0) return
    const { live } = this.#options.options
    const waits = [...this.#kinds].map((kind) => this.#left(kind))
    const poll = () => {
      this.#timer = null
      void this.#poll().finally(() => this.#schedule())
    }
    this.#timer = setTimeout(poll, Math.max(1, Math.min(live.refetchInterval, ...waits)))
  }

  /** Runs one poll at a time. A poll requested during another one has to begin after it. */
  async #poll(): Promise<void> {
    while (this.#polling) await this.#polling
    this.#polling = this.#pollOnce().finally(() => {
      this.#polling = null
    })
    await this.#polling
  }

  async #pollOnce(): Promise<void> {
    this.#renew()
    const kinds = [...this.#kinds].filter((kind) => this.#left(kind) <= timerToleranceMillis)
    this.#lastPoll = performance.now()
    for (const kind of kinds) this.#polledAt[kind] = this.#lastPoll
    const wanted = this.#wanted
    this.#wanted = new Wanted()
    const groups = [...this.#groups.values()]
    const isWanted = (group: Group) => wanted.has(group, this.#changes.isFollowing)
    const due = new Set(groups.filter((group) => kinds.includes(kindOf(group)) || isWanted(group)))
    if (due.size === 0 && !wanted.commits.some(({ transaction }) => this.#awaited.has(transaction))) {
      // One round trip is left where the statements themselves read the snapshot.
      for (const group of groups) wanted.wakeForCommits(group, null)
      return
    }
    // Without a snapshot any table may have changed, so all groups are asked and their subscribers get the error.
    const snapshot = await this.#snapshots.current().catch(() => `unknown ${performance.now()}`)
    for (const commit of wanted.commits) {
      if (shows(snapshot, commit.transaction)) this.#awaited.delete(commit.transaction)
      else this.#await(commit)
    }
    // The end of an interval polls no group whose writes are all reported.
    const ended = groups.filter((group) => kinds.includes(kindOf(group)))
    const reported = await this.#followed.reported(ended, snapshot)
    for (const group of groups) {
      if (isWanted(group) || (due.has(group) && !reported.has(group))) group.wake(snapshot)
      else {
        wanted.wakeForCommits(group, snapshot)
        if (due.has(group)) group.wakeUnsteady(snapshot)
      }
    }
  }

  /**
   * Logical decoding reports a commit shortly before others see it, or long before if the commit waits for a standby. Until it is
   * visible, further polls follow at growing pauses.
   */
  #await(commit: DecodedCommit): void {
    const now = performance.now()
    const since = this.#awaited.get(commit.transaction) ?? now
    this.#awaited.set(commit.transaction, since)
    this.#wake(commit, Math.min(longestVisibilityPauseMillis, (now - since) / 2))
  }
}

const kindOf = ({ isStream: streams }: Group): keyof LiveSettings => (streams ? 'streams' : 'live')

const withoutVariables = (request: GraphQLRequest): GraphQLRequest => ({ ...request, variables: null })
