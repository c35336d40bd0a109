// All live queries of the server: who joins which group, and when groups are asked.
//
// Once per interval, and at once after a write of this server, the gate is asked whether anything was written. What does
// not depend on anything but rows is asked again only then.

import type { GraphQLRequest, PlannedRequest } from '../../../sdk/graphql.ts'
import { type Engine, toTrellisError } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import type { Paces } from '../options.ts'
import type { LiveRequest, LiveSink, Member } from './cohort.ts'
import { Gate } from './gate.ts'
import { type BatchReport, Group } from './group.ts'
import { OwnWrites } from './own-writes.ts'
import { isStream, valuesAt } from './position.ts'
import { Turnstile } from './turnstile.ts'

/** A subscription, until it is left. */
export interface LiveSubscription {
  leave(): void
}

export interface LiveQueriesOptions {
  readonly engine: Engine
  readonly options: Pick<Paces, 'live' | 'streams'>
  onBatch(batch: BatchReport): void
}

/** Statements for live queries that are at work at once. */
const atOnce = 4

/** Milliseconds between two looks for the sake of writes. */
const wakeSpacing = 20

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
  readonly #options: LiveQueriesOptions
  readonly #gate: Gate
  readonly #writes: OwnWrites
  readonly #groups = new Map<string, Group>()
  readonly #members = new Set<Member>()
  readonly #turnstile = new Turnstile(atOnce)
  /** Of which all groups are. */
  #model: Model | null = null
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  #isWoken = false
  /** How many subscriptions there were. */
  #started = 0
  #lastLook = 0
  readonly #lookedAt = { live: performance.now(), streams: performance.now() }
  #isStopped = false

  constructor(options: LiveQueriesOptions) {
    this.#options = options
    const { database } = options.engine
    this.#gate = new Gate(database)
    this.#writes = new OwnWrites({ database, onWrite: () => this.#wake() })
  }

  /** Begins to hear of writes elsewhere. */
  begin(): void {
    this.#writes.start()
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
      isHeld: false,
    }
    this.#renew()
    this.#place(member)
    this.#members.add(member)
    this.#writes.isPresent = true
    this.#schedule()
    return { leave: () => this.#leave(member) }
  }

  /** After a write through this server: here and at other instances somebody may wait for it. */
  written(): void {
    this.#writes.tell()
    this.#wake()
  }

  /** Looks at once whether something was written. */
  #wake(): void {
    if (this.#members.size === 0 || this.#isWoken) return
    this.#isWoken = true
    const wait = Math.max(0, wakeSpacing - (performance.now() - this.#lastLook))
    setTimeout(() => {
      this.#isWoken = false
      void this.#look(true)
    }, wait)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#members.clear()
    this.#groups.clear()
    await this.#writes.stop()
  }

  #leave(member: Member): void {
    if (!this.#members.delete(member)) return
    if (this.#members.size === 0) this.#writes.isPresent = false
    const { cohort } = member
    const group = cohort && this.#groups.get(cohort.key)
    group?.leave(member)
    if (group && group.size === 0) this.#groups.delete(group.options.key)
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
    group.join(member, values)
  }

  #plan({ live: { request, session, schema }, position }: Member): Placed {
    const { engine } = this.#options
    const planned = engine.graphql.engine.plan(request, session, { schema })
    const { prepared } = planned
    const values = valuesAt(prepared, engine.graphql.engine.batchValues(planned, session), position)
    const { name } = prepared.batch!
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
    this.#groups.clear()
    void this.#renewMembers([...this.#members], model)
  }

  async #renewMembers(members: readonly Member[], model: Model): Promise<void> {
    for (const [i, member] of members.entries()) {
      if (i > 0 && i % plannedPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
      // Once more changed meanwhile: whoever noticed goes through all of them.
      if (this.#model !== model) return
      if (!this.#members.has(member)) continue
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
  async #look(isForced = false): Promise<void> {
    while (this.#looking) await this.#looking
    this.#looking = this.#lookOnce(isForced).finally(() => {
      this.#looking = null
    })
    await this.#looking
  }

  async #lookOnce(isForced: boolean): Promise<void> {
    this.#renew()
    const kinds = [...this.#kinds].filter((kind) => isForced || this.#left(kind) <= timerTolerance)
    this.#lastLook = performance.now()
    if (kinds.length === 0) return
    for (const kind of kinds) this.#lookedAt[kind] = this.#lastLook
    // Without an answer nobody knows what was written: everybody asks, and is told why there is no answer.
    const snapshot = await this.#gate.look().catch(() => `unknown ${performance.now()}`)
    for (const group of this.#groups.values()) if (kinds.includes(kindOf(group))) group.wake(snapshot)
  }
}

const kindOf = ({ isStream: streams }: Group): keyof Paces => (streams ? 'streams' : 'live')

const withoutVariables = (request: GraphQLRequest): GraphQLRequest => ({ ...request, variables: null })
