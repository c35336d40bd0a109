// Cohorts that one statement answers: the role, the text and the settings agree, the values differ.

import { randomUUID } from 'node:crypto'
import type { GraphQLRequest, PreparedOperation } from '../../../../sdk/graphql.ts'
import { type Engine, TrellisError, toTrellisError } from '../../../../sdk/index.ts'
import type { Caller } from '../../../../sdk/services.ts'
import { areTold, type Reads, readsOf } from '../hearing/reads.ts'
import { Cohort, type Member } from './cohort.ts'
import { makeTimes, timesIn } from './made-values.ts'
import { isStream, takePosition, valuesAt } from './position.ts'
import { Slices } from './slices.ts'
import type { Turnstile } from './turnstile.ts'

/** The longest time in milliseconds that subscribers with an answer wait for PostgreSQL's sake. */
const mostRest = 1000

export interface GroupOptions {
  readonly engine: Engine
  readonly key: string
  readonly role: string
  readonly prepared: PreparedOperation
  /** One of those that the statement answers. */
  readonly request: GraphQLRequest
  readonly batchSize: number
  /** Lets few statements of all groups be at work at once. */
  readonly turnstile: Turnstile
  /** Whether the statement still is what its subscribers may see; when it is not, nothing is asked or sent. */
  isCurrent(): boolean
  /** Told when it is not, and somebody waits here. */
  onStale(): void
  /** Told when an error has ended all subscriptions of the group. */
  onEmpty(group: Group): void
  onBatch(batch: BatchReport): void
  /** Told when it is known what the statement reads. */
  onReads(group: Group): void
}

/** How a statement for a batch went. */
export interface BatchReport {
  readonly group: Group
  readonly cohorts: number
  /** Milliseconds. */
  readonly asked: number
  readonly handedOut: number
  /** Until they were handed out, since it was noticed that they are due. */
  readonly sinceNoticed: number
}

export class Group {
  readonly id = randomUUID()
  readonly options: GroupOptions
  readonly cohorts = new Map<string, Cohort>()
  readonly #due = new Set<Cohort>()
  #running = false
  #noticed = 0
  /** Whether somebody waits for a first answer, or for the rest of a stream. */
  #isAwaited = false
  /** Milliseconds that the last statements took, and when they were done. */
  #asked = 0
  #done = 0
  #rest: NodeJS.Timeout | null = null
  /** How many statements were sent. */
  #turn = 0
  /** What the database showed when all cohorts were due last; null before. */
  asOf: string | null = null
  /** Not known at first: asked each time, then. */
  reads: Reads = { isSteady: false, tables: [] }
  #isLearning = true
  #asking: Asking | null = null
  readonly #tables = new Set<string>()
  readonly isStream: boolean

  constructor(options: GroupOptions) {
    this.options = options
    this.isStream = isStream(options.prepared)
    void this.#learn()
  }

  async #learn(): Promise<void> {
    const { engine, onReads } = this.options
    try {
      this.reads = await readsOf(engine.database, this.statement.text)
      for (const { name } of this.reads.tables) this.#tables.add(name)
      onReads(this)
    } catch {
      // There is no answer to it either.
    } finally {
      this.#isLearning = false
    }
  }

  /** Whether writes to these tables may change its answers; those of any, as long as it is not known what it reads. */
  readsAny(tables: ReadonlySet<string>): boolean {
    if (this.#isLearning) return true
    for (const table of tables) if (this.#tables.has(table)) return true
    return false
  }

  /** Whether each write that may change its answers is told by means that tell of tables. */
  get isTold(): boolean {
    return areTold(this.reads)
  }

  /** What answers its cohorts. */
  get statement(): { readonly text: string } {
    return this.options.prepared.batch!
  }

  get size(): number {
    return this.cohorts.size
  }

  /** Adds a subscriber, who gets the first answer at once. */
  join(member: Member, values: string): void {
    let cohort = this.cohorts.get(values)
    if (!cohort) {
      cohort = new Cohort(this.options.key, values, member.live.session)
      this.cohorts.set(values, cohort)
    }
    cohort.members.add(member)
    member.cohort = cohort
    member.from = this.#turn + 1
    this.#due.add(cohort)
    this.#isAwaited = true
    this.#run()
  }

  leave(member: Member): void {
    const { cohort } = member
    if (!cohort) return
    member.cohort = null
    cohort.members.delete(member)
    if (cohort.members.size > 0) return
    this.#forget(cohort)
    if (this.#asking && !this.#isWanted(this.#asking.batch)) this.#cancel()
  }

  /** Ends the group: its subscribers have left, or have been planned anew. */
  abandon(): void {
    this.#due.clear()
    this.cohorts.clear()
    this.#cancel()
  }

  /** Ends the statement that runs. */
  #cancel(): void {
    this.#asking?.ending.abort(departed())
  }

  /** Whether a subscriber waits for the answers of a batch, and may have them. */
  #isWanted(batch: readonly Cohort[]): boolean {
    return this.options.isCurrent() && !batch.every(isLeft)
  }

  /** Has all cohorts asked again; with `snapshot`: unless they were since the database showed this. */
  wake(snapshot: string): void {
    if (this.asOf !== snapshot) {
      this.asOf = snapshot
      for (const cohort of this.cohorts.values()) this.#due.add(cohort)
    } else {
      for (const cohort of this.cohorts.values()) {
        if (!this.reads.isSteady || cohort.isClock || cohort.isFailed) this.#due.add(cohort)
      }
    }
    this.#run()
  }

  #forget(cohort: Cohort): void {
    this.#due.delete(cohort)
    if (this.cohorts.get(cohort.values) === cohort) this.cohorts.delete(cohort.values)
  }

  /** Asks for those who are due; where nobody waits for it, PostgreSQL is asked for half of the time at most. */
  #run(): void {
    if (this.#running || this.#due.size === 0) return
    const now = performance.now()
    const rest = this.#isAwaited ? 0 : this.#done + Math.min(this.#asked, mostRest) - now
    if (rest > 0) {
      this.#rest ??= setTimeout(() => {
        this.#rest = null
        this.#run()
      }, rest).unref()
      return
    }
    this.#running = true
    this.#isAwaited = false
    this.#noticed = now
    // Those that join in the same turn are asked together.
    setImmediate(() => {
      this.#asked = 0
      this.#askDue().finally(() => {
        this.#running = false
        this.#done = performance.now()
        this.#run()
      })
    })
  }

  async #askDue(): Promise<void> {
    // Who becomes due meanwhile has a turn of the next round.
    for (let left = this.#due.size; left > 0 && this.#due.size > 0 && this.options.isCurrent(); ) {
      const batch: Cohort[] = []
      for (const cohort of this.#due) {
        if (batch.length === this.options.batchSize || left === 0) break
        left--
        this.#due.delete(cohort)
        if (!cohort.isHeld) batch.push(cohort)
      }
      if (batch.length > 0) await this.options.turnstile.pass(callersOf(batch), () => this.#ask(batch))
    }
    // Who waits here is asked for by the group that takes this one's place.
    if (this.options.isCurrent()) return
    this.#due.clear()
    this.options.onStale()
  }

  /** One statement for the batch; where that fails, for its halves, so that one set of values fails alone. */
  async #ask(batch: readonly Cohort[]): Promise<void> {
    // The batch may have waited: meanwhile all may have left, or have been planned anew.
    if (!this.#isWanted(batch)) return
    const started = performance.now()
    const turn = ++this.#turn
    const { isCurrent, onBatch } = this.options
    try {
      const values = await this.#values(batch)
      const answers = await this.#answers(batch, values)
      if (!isCurrent()) return
      const asked = performance.now()
      this.#asked += asked - started
      const slices = new Slices(isCurrent)
      for (const [i, cohort] of batch.entries()) {
        await this.#deliver(cohort, { body: toBytes(answers.get(cohort.id)!), values: values[i]!, turn, slices })
        if (!isCurrent()) return
      }
      const now = performance.now()
      const times = { asked: asked - started, handedOut: now - asked, sinceNoticed: now - this.#noticed }
      onBatch({ group: this, cohorts: batch.length, ...times })
    } catch (failure) {
      if (!this.#isWanted(batch)) return
      const error = toTrellisError(failure)
      if (batch.length === 1 || isOfAll(error)) this.#fail(batch, error)
      else {
        const middle = batch.length >> 1
        await this.#ask(batch.slice(0, middle))
        await this.#ask(batch.slice(middle))
      }
    }
  }

  /** What the statement is run with: of a stream, the times that its values stand for now. */
  async #values(batch: readonly Cohort[]): Promise<readonly string[]> {
    const given = batch.map(({ values }) => values)
    if (!this.isStream || !batch.some(({ isClock }) => isClock)) return given
    const made = await makeTimes(this.options.engine.database, this.options.prepared.batch!, given)
    for (const [i, cohort] of batch.entries()) if (made[i] === cohort.values) cohort.isClock = false
    return made
  }

  async #answers(batch: readonly Cohort[], values: readonly string[]): Promise<ReadonlyMap<string, Buffer | string>> {
    const { engine, request, prepared } = this.options
    const members = batch.map(({ id }, i) => ({ id, values: values[i]! }))
    const { graphql } = engine
    const ending = new AbortController()
    this.#asking = { batch, ending }
    try {
      return await graphql.operate({ request, session: batch[0]!.session }, (work) => {
        work.operation = prepared.operation
        return graphql.answerBatch(prepared, members, { signal: work.signal, whenUnwanted: () => ending.signal })
      })
    } finally {
      this.#asking = null
    }
  }

  #deliver(cohort: Cohort, { body, values, turn, slices }: Delivery): Promise<void> {
    if (!this.isStream) return cohort.deliver(body, turn, slices)
    const { prepared } = this.options
    const answer = takePosition(body)
    const times = values === cohort.values ? null : timesIn(prepared.batch!, cohort.values, values)
    const reached = valuesAt(prepared, values, { position: answer.position, times: null })
    return cohort.append({ ...answer, times }, turn, slices, (member) => {
      this.leave(member)
      this.join(member, reached)
      if (member.sink.isFull) this.#hold(member)
    })
  }

  /** Lets a client take what it was sent before its stream goes on. */
  #hold(member: Member): void {
    member.isHeld = true
    void member.sink.room().then(() => {
      member.isHeld = false
      if (!member.cohort || this.cohorts.get(member.cohort.values) !== member.cohort) return
      this.#due.add(member.cohort)
      this.#run()
    })
  }

  #fail(batch: readonly Cohort[], error: TrellisError): void {
    for (const cohort of batch) {
      cohort.fail(error)
      if (cohort.members.size === 0) this.#forget(cohort)
    }
    if (this.size === 0) this.options.onEmpty(this)
  }
}

/** The cohorts that a statement is run for, and what ends it. */
interface Asking {
  readonly batch: readonly Cohort[]
  readonly ending: AbortController
}

/** Those for whom a batch is asked. */
function* callersOf(batch: readonly Cohort[]): Generator<Caller> {
  for (const { members } of batch) for (const { live } of members) yield live.caller
}

const isLeft = ({ members }: Cohort): boolean => members.size === 0

const departed = () => new TrellisError(499, 'client-gone', 'nobody waits for the answer')

/** The answer for a cohort. */
interface Delivery {
  readonly body: Buffer
  /** What it was asked for with. */
  readonly values: string
  readonly turn: number
  readonly slices: Slices
}

/** Errors that no values have caused: asking for half of them would not help. */
const isOfAll = ({ status, code }: TrellisError): boolean =>
  status === 503 || code === 'postgres-error' || code === 'time-limit-exceeded'

const toBytes = (answer: Buffer | string): Buffer => (typeof answer === 'string' ? Buffer.from(answer) : answer)
