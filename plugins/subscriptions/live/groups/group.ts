// Cohorts that one statement answers: they share the role, the text and the settings, and differ in their values.

import { randomUUID } from 'node:crypto'
import type { GraphQLRequest, PreparedOperation } from '../../../../sdk/graphql.ts'
import { toAnswerable } from '../../../../sdk/http.ts'
import { type Engine, TrellisError, toTrellisError } from '../../../../sdk/index.ts'
import type { Caller } from '../../../../sdk/services.ts'
import type { DecodedCommit, PreparedStatement } from '../../../../sdk/sql.ts'
import { longestRestMillis } from '../../tuning.ts'
import { shows, textOf } from '../writes/snapshots.ts'
import { Cohort, type Member } from './cohort.ts'
import { evaluateTimes, timesIn } from './evaluated-times.ts'
import { GroupReads } from './group-reads.ts'
import type { Limiter } from './limiter.ts'
import { isStream, takePosition, valuesAt } from './position.ts'
import { Slices } from './slices.ts'

export interface GroupOptions {
  readonly engine: Engine
  readonly key: string
  readonly role: string
  readonly prepared: PreparedOperation
  /** The request of one subscriber. */
  readonly request: GraphQLRequest
  readonly batchSize: number
  /** Limits the running statements of all groups. */
  readonly limiter: Limiter
  /** Whether the plan is up to date; otherwise no statement runs and no answer is sent. */
  isCurrent(): boolean
  /** Called when the plan is outdated while subscribers wait. */
  onStale(): void
  /** Called when an error has ended all subscriptions of the group. */
  onEmpty(group: Group): void
  onBatch(batch: BatchReport): void
  /** Reads the snapshot of the database. */
  readonly snapshot: PreparedStatement
  /** Called for a commit that was not visible yet when cohorts were asked because of it. */
  onUnseen(commit: DecodedCommit): void
}

/** The times of a batch statement. */
export interface BatchReport {
  readonly group: Group
  readonly cohorts: number
  /** Milliseconds. */
  readonly asked: number
  readonly handedOut: number
  /** From when the batch became due until its answers were sent. */
  readonly sinceNoticed: number
}

export class Group {
  readonly id = randomUUID()
  readonly options: GroupOptions
  readonly cohorts = new Map<string, Cohort>()
  readonly #due = new Set<Cohort>()
  #running = false
  #noticed = 0
  /** Whether a subscriber waits for its first answer, or for the rest of a stream. */
  #isAwaited = false
  /** Milliseconds that the last statements took, and when they ended. */
  #asked = 0
  #done = 0
  #rest: NodeJS.Timeout | null = null
  /** The number of statements sent. */
  #turn = 0
  /** The last snapshot; null before the first. */
  #asOf: string | null = null
  /** The commits that the next answers of the due cohorts have to show. */
  #commits: DecodedCommit[] = []
  readonly reads: GroupReads
  #runningBatch: RunningBatch | null = null
  /** Cohorts whose last statement failed. */
  readonly #failed = new Set<Cohort>()
  readonly isStream: boolean

  constructor(options: GroupOptions) {
    this.options = options
    this.isStream = isStream(options.prepared)
    this.reads = new GroupReads({
      database: options.engine.database,
      batch: options.prepared.batch!,
      cohorts: this.cohorts,
    })
  }

  /** The statement that answers its cohorts. */
  get statement(): { readonly text: string } {
    return this.options.prepared.batch!
  }

  get size(): number {
    return this.cohorts.size
  }

  /** Adds a subscriber, which gets its first answer at once. */
  join(member: Member, values: string): void {
    let cohort = this.cohorts.get(values)
    if (!cohort) {
      cohort = new Cohort({ key: this.options.key, values, session: member.live.session, asOf: this.#asOf })
      this.cohorts.set(values, cohort)
      this.reads.add(cohort)
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
    if (this.#runningBatch && !this.#isWanted(this.#runningBatch.batch)) this.#cancel()
  }

  /** Ends the group: its subscribers have left or were replanned. */
  abandon(): void {
    this.#due.clear()
    this.cohorts.clear()
    this.#cancel()
  }

  /** Cancels the running statement. */
  #cancel(): void {
    this.#runningBatch?.ending.abort(disconnected())
  }

  /** Whether a subscriber still waits for a batch. */
  #isWanted(batch: readonly Cohort[]): boolean {
    return this.options.isCurrent() && !batch.every(isLeft)
  }

  /** Makes all cohorts due, except for those whose answers cannot differ at this snapshot. */
  wake(snapshot: string): void {
    this.#asOf = snapshot
    for (const cohort of this.cohorts.values()) this.#wakeCohort(cohort, snapshot)
    this.#run()
  }

  /** The same for the cohorts that these commits concern. Without a snapshot, their statement reads it on the way. */
  wakeFor(commits: readonly DecodedCommit[], snapshot: string | null): void {
    const concerned = this.reads.concerned(commits.map(({ tables }) => tables)) ?? this.cohorts.values()
    this.#asOf = snapshot ?? this.#asOf
    for (const cohort of concerned) this.#wakeCohort(cohort, snapshot)
    // Any row may have been the reason of an error.
    for (const cohort of this.#failed) this.#wakeCohort(cohort, snapshot)
    if (snapshot === null && this.#due.size > 0) this.#commits.push(...commits)
    this.#run()
  }

  /** Makes only those cohorts due whose answers may differ without a change. */
  wakeUnsteady(snapshot: string): void {
    this.#asOf = snapshot
    for (const cohort of this.cohorts.values()) if (this.#isUnsteady(cohort)) this.#wakeCohort(cohort, snapshot)
    this.#run()
  }

  #isUnsteady({ isClock, isFailed }: Cohort): boolean {
    return !this.reads.isSteady || isClock || isFailed
  }

  #wakeCohort(cohort: Cohort, snapshot: string | null): void {
    if (snapshot !== null && cohort.asOf === snapshot && !this.#isUnsteady(cohort)) return
    cohort.asOf = snapshot
    this.#due.add(cohort)
  }

  #forget(cohort: Cohort): void {
    this.#due.delete(cohort)
    this.#failed.delete(cohort)
    if (this.cohorts.get(cohort.values) !== cohort) return
    this.cohorts.delete(cohort.values)
    this.reads.delete(cohort)
  }

  /** Asks the due cohorts. If no subscriber waits for a first answer, at most half of the time goes to statements. */
  #run(): void {
    if (this.#running || this.#due.size === 0) return
    const now = performance.now()
    const rest = this.#isAwaited ? 0 : this.#done + Math.min(this.#asked, longestRestMillis) - now
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
    // Subscribers that join in the same turn of the event loop share a batch.
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
    const commits = this.#commits
    this.#commits = []
    // Cohorts that become due meanwhile belong to the next round.
    for (let left = this.#due.size; left > 0 && this.#due.size > 0 && this.options.isCurrent(); ) {
      const batch: Cohort[] = []
      for (const cohort of this.#due) {
        if (batch.length === this.options.batchSize || left === 0) break
        left--
        this.#due.delete(cohort)
        if (!cohort.isPaused) batch.push(cohort)
      }
      if (batch.length > 0) await this.options.limiter.run(callersOf(batch), () => this.#ask(batch, commits))
    }
    // The replanned group asks for the subscribers that wait here.
    if (this.options.isCurrent()) return
    this.#due.clear()
    this.options.onStale()
  }

  /** Runs one statement for the batch. If it fails, each half runs alone, until the failing values are isolated. */
  async #ask(batch: readonly Cohort[], commits: readonly DecodedCommit[]): Promise<void> {
    // While the batch waited, its subscribers may have left or been replanned.
    if (!this.#isWanted(batch)) return
    const started = performance.now()
    const turn = ++this.#turn
    const { isCurrent, onBatch } = this.options
    try {
      const values = await this.#values(batch)
      const answers = await this.#answers(batch, values, commits)
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
      if (batch.length === 1 || isOfAll(toTrellisError(failure))) {
        this.#fail(batch, toAnswerable(failure, this.options.engine.observe))
      } else {
        const middle = batch.length >> 1
        await this.#ask(batch.slice(0, middle), commits)
        await this.#ask(batch.slice(middle), commits)
      }
    }
  }

  /** The values for the statement; in streams, texts such as `now` are evaluated. */
  async #values(batch: readonly Cohort[]): Promise<readonly string[]> {
    const given = batch.map(({ values }) => values)
    if (!this.isStream || !batch.some(({ isClock }) => isClock)) return given
    const made = await evaluateTimes(this.options.engine.database, this.options.prepared.batch!, given)
    for (const [i, cohort] of batch.entries()) if (made[i] === cohort.values) cohort.isClock = false
    return made
  }

  async #answers(
    batch: readonly Cohort[],
    values: readonly string[],
    commits: readonly DecodedCommit[],
  ): Promise<ReadonlyMap<string, Buffer | string>> {
    const { engine, request, prepared, snapshot: statement, onUnseen } = this.options
    const members = batch.map(({ id }, i) => ({ id, values: values[i]! }))
    const { graphql } = engine
    const ending = new AbortController()
    this.#runningBatch = { batch, ending }
    let snapshot = ''
    const onAnswer = (answer: Buffer | null) => {
      snapshot = textOf(answer)
    }
    const before = commits.length > 0 ? { statement, onAnswer } : null
    try {
      const answers = await graphql.operate({ request, session: batch[0]!.session }, (work) => {
        work.operation = prepared.operation
        const whenUnwanted = () => ending.signal
        const { readOnly } = work.session
        return graphql.answerBatch(prepared, members, { signal: work.signal, whenUnwanted, before, readOnly })
      })
      for (const commit of commits) if (!shows(snapshot, commit.transaction)) onUnseen(commit)
      return answers
    } finally {
      this.#runningBatch = null
    }
  }

  #deliver(cohort: Cohort, { body, values, turn, slices }: Delivery): Promise<void> {
    this.#failed.delete(cohort)
    if (!this.isStream) return cohort.deliver(body, turn, slices)
    const { prepared } = this.options
    const answer = takePosition(body)
    const times = values === cohort.values ? null : timesIn(prepared.batch!, cohort.values, values)
    const reached = valuesAt(prepared, values, { position: answer.position, times: null })
    return cohort.append({ ...answer, times }, turn, slices, (member) => {
      this.leave(member)
      this.join(member, reached)
      if (member.sink.isFull) this.#pause(member)
    })
  }

  /** Pauses a stream until its client has received the last answers. */
  #pause(member: Member): void {
    member.isPaused = true
    void member.sink.room().then(() => {
      member.isPaused = false
      if (!member.cohort || this.cohorts.get(member.cohort.values) !== member.cohort) return
      this.#due.add(member.cohort)
      this.#run()
    })
  }

  #fail(batch: readonly Cohort[], error: TrellisError): void {
    for (const cohort of batch) {
      cohort.fail(error)
      this.#failed.add(cohort)
      if (cohort.members.size === 0) this.#forget(cohort)
    }
    if (this.size === 0) this.options.onEmpty(this)
  }
}

/** The cohorts of a running statement, and the controller that cancels it. */
interface RunningBatch {
  readonly batch: readonly Cohort[]
  readonly ending: AbortController
}

/** The callers of a batch. */
function* callersOf(batch: readonly Cohort[]): Generator<Caller> {
  for (const { members } of batch) for (const { live } of members) yield live.caller
}

const isLeft = ({ members }: Cohort): boolean => members.size === 0

const disconnected = () => new TrellisError(499, 'client-gone', 'all clients that waited for the answer are gone')

/** The answer for a cohort. */
interface Delivery {
  readonly body: Buffer
  /** The values of the statement. */
  readonly values: string
  readonly turn: number
  readonly slices: Slices
}

/** Errors that no value has caused: halving the batch would not help. */
const isOfAll = ({ status, code }: TrellisError): boolean =>
  status === 503 || code === 'postgres-error' || code === 'time-limit-exceeded'

const toBytes = (answer: Buffer | string): Buffer => (typeof answer === 'string' ? Buffer.from(answer) : answer)
