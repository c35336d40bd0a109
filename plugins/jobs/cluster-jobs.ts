// Jobs that run once per cluster: Agenda wakes them, the ledger decides which instance runs them.

import { randomUUID } from 'node:crypto'
import { type Leased, type LeaseTable, leaseSeconds, type Observer, Outage, Work } from '../../sdk/services.ts'
import type { Transaction } from '../../sdk/sql.ts'
import type { Clock } from './clock/clock.ts'
import type { DeclaredJob, Job, JobState } from './job.ts'
import type { JobRecord, Ledger, LedgerRow } from './ledger.ts'
import type { ChangedJob, JobChange } from './operations.ts'
import { type Outcome, type Runs, recordedMessageOf } from './runs.ts'
import { momentOf, type Occurrences, occurrencesOf, type Schedule } from './schedule.ts'
import { compareMillis, longestMessage, retryMillis, stopMillis } from './tuning.ts'

/** A declared job. */
interface Declared {
  readonly job: Job
  occurrences: Occurrences
  /** Whether the ledger has it with this schedule. */
  isStored: boolean
  /** The requested time of a run that is not stored yet. */
  unstoredWake: number | null
}

/** A claimed run. */
interface ClaimedRun extends Leased {
  readonly job: Job
  readonly dueAt: number
}

export interface ClusterOptions {
  readonly ledger: Ledger
  readonly runs: Runs
  readonly observe: Observer
  /** Created with the first job, so that other starts do not load the libraries. */
  readonly createClock: (cluster: ClusterJobs) => Promise<Clock>
}

export class ClusterJobs {
  readonly #options: ClusterOptions
  readonly #declared = new Map<string, Declared>()
  #clock: Promise<Clock> | null = null
  #running: Clock | null = null
  #lastComparison = Number.NEGATIVE_INFINITY
  #isStarted = false
  #isStopping = false
  readonly #outage: Outage
  readonly #work: Work<ClaimedRun, Outcome>

  constructor(options: ClusterOptions) {
    this.#options = options
    const { ledger, runs } = options
    this.#outage = new Outage((message) => this.#report(message))
    this.#work = new Work<ClaimedRun, Outcome>({
      outage: this.#outage,
      ledger: {
        renew: (ids) => ledger.renew(ids),
        release: (ids) => ledger.release(ids),
        record: (settled) => this.#record(settled),
      },
      handler: {
        // Another instance may repeat a run without its lease.
        ...{ leaseSeconds, aborts: 'unsure' },
        run({ job, dueAt }, { signal }) {
          const run = runs.begin(job, dueAt)
          signal.addEventListener('abort', () => run.abort(signal.reason))
          return run.outcome
        },
        failed: (_run, error) => ({ error: recordedMessageOf(error), seconds: 0 }),
        rewritten: (outcome) => (outcome.error === unstorable ? null : { ...outcome, error: unstorable }),
      },
    })
  }

  get names(): readonly string[] {
    return [...this.#declared.keys()]
  }

  declare(job: Job, onRemoved: () => void): DeclaredJob {
    const occurrences = occurrencesOf(job.schedule)
    const declared: Declared = { job, occurrences, isStored: false, unstoredWake: null }
    this.#declared.set(job.name, declared)
    if (this.#isStarted) this.#introduce(declared)
    return {
      name: job.name,
      wake: async (at) => this.#wake(declared, at ? momentOf(at) : Date.now()),
      reschedule: (schedule) => this.#reschedule(declared, schedule),
      remove: async () => {
        this.#declared.delete(job.name)
        onRemoved()
        await this.#attempt(() => this.#options.ledger.remove(job.name))
        await this.#running?.remove(job.name)
      },
    }
  }

  /** Starts; jobs are stored when the databases answer. `always`: even without a job. */
  async start(always = false): Promise<void> {
    this.#isStarted = true
    this.#work.start()
    if (always || this.#declared.size > 0) await this.#startClock()
  }

  /** Begins no more jobs. */
  stopTaking(): void {
    this.#isStopping = true
  }

  /** Ends; running bodies are given up. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#work.stop(stopMillis)
    const clock = await this.#clock?.catch(() => null)
    await clock?.stop()
  }

  /** Changes a job within a transaction. */
  async change(name: string, change: JobChange, transaction: Pick<Transaction, 'rows'>): Promise<ChangedJob> {
    const declared = this.#declared.get(name)!
    const ledger = this.#options.ledger.within(transaction)
    if (!declared.isStored) await this.#declareIn(ledger, declared)
    if (change === 'pause') {
      await ledger.pause(name)
      return { refusal: null, follow: () => {} }
    }
    // A job for one time runs after all, if that time came meanwhile.
    if (change === 'resume') await ledger.resume(name, this.#pastOf(declared))
    else if (!(await ledger.request(name))) {
      return { refusal: `job ${JSON.stringify(name)} is paused: resume it first`, follow: () => {} }
    }
    return { refusal: null, follow: () => this.#armNow(name) }
  }

  async states(): Promise<JobState[]> {
    const rows = await this.#options.ledger.records(this.names)
    const found = new Map(rows.map((row) => [row.name, row]))
    return [...this.#declared.values()].map((declared) => stateOf(declared, found.get(declared.job.name)))
  }

  /** Begins a due job; gives its next time. */
  async due(name: string): Promise<number | null> {
    const declared = this.#declared.get(name)
    const now = Date.now()
    if (!declared) return null
    // Another instance may run it.
    if (this.#isStopping) return now
    const { job, occurrences } = declared
    const run = randomUUID()
    const occurrence = occurrences.latest(now)
    try {
      const claim = await this.#options.ledger.claim(name, occurrence, run, job.concurrency ?? 1)
      // The job was removed, and its row is deleted or about to be.
      if (this.#declared.get(name) !== declared) return null
      if (claim.isGranted) this.#begin({ id: run, job, dueAt: claim.wokenAt ?? occurrence ?? now })
      this.#outage.over()
      // If this clock is ahead of the database's, the ledger would give a past time again and again.
      const wakeAt = claim.wakeAt === null ? null : Math.max(claim.wakeAt, now + retryMillis)
      return earliest([occurrences.next(now), wakeAt])
    } catch (error) {
      this.#outage.failed(error)
      return now + retryMillis
    }
  }

  /** Compares the ledger with Agenda's entries, and repairs those. */
  async compare(): Promise<void> {
    const now = Date.now()
    const isNew = [...this.#declared.values()].some(({ isStored, unstoredWake }) => !isStored || unstoredWake !== null)
    const isIncomplete = this.names.some((name) => !this.#running?.entry(name))
    if (!isNew && !isIncomplete && now < this.#lastComparison + compareMillis) return
    await this.#attempt(async () => {
      await this.#store()
      const rows = await this.#options.ledger.rows(this.names)
      for (const row of rows) await this.#arm(row)
      const found = new Set(rows.map(({ name }) => name))
      for (const declared of this.#declared.values()) if (!found.has(declared.job.name)) declared.isStored = false
      this.#lastComparison = now
    })
  }

  async #startClock(): Promise<void> {
    this.#clock ??= this.#options.createClock(this)
    this.#running = await this.#clock
    await this.#running.start()
  }

  /** Stores a job that was declared while the server runs. */
  async #introduce(declared: Declared): Promise<void> {
    if (!this.#running) {
      await this.#attempt(() => this.#startClock())
      return
    }
    await this.#attempt(async () => {
      await this.#storeOne(declared)
      await this.#armStored(declared.job.name)
    })
  }

  #armNow(name: string): Promise<void> {
    return this.#attempt(() => this.#armStored(name))
  }

  async #armStored(name: string): Promise<void> {
    const [row] = await this.#options.ledger.rows([name])
    if (row) await this.#arm(row)
  }

  async #wake(declared: Declared, time: number): Promise<void> {
    const { name } = declared.job
    declared.unstoredWake = earliest([declared.unstoredWake, time])
    if (!this.#isStarted || !this.#declared.has(name)) return
    await this.#attempt(async () => {
      if (!declared.isStored) await this.#storeOne(declared)
      else await this.#storeWake(declared)
      const entry = this.#running?.entry(name)
      const isArmed =
        entry?.nextRunAt && entry.lockedAt === null && entry.nextRunAt <= time && entry.nextRunAt > Date.now()
      if (!isArmed) await this.#running?.arm(name, time)
    })
  }

  async #reschedule(declared: Declared, schedule: Schedule | null): Promise<void> {
    declared.occurrences = occurrencesOf(schedule)
    declared.isStored = false
    if (this.#isStarted) await this.#introduce(declared)
  }

  async #store(): Promise<void> {
    for (const declared of this.#declared.values()) {
      if (!declared.isStored) await this.#storeOne(declared)
      else if (declared.unstoredWake !== null) await this.#storeWake(declared)
    }
  }

  async #storeOne(declared: Declared): Promise<void> {
    const { job } = declared
    await this.#declareIn(this.#options.ledger, declared)
    // The removal came before the row existed; the row would count as the past of a later job with this name.
    if (!this.#declared.has(job.name)) return this.#options.ledger.remove(job.name)
    declared.isStored = true
    if (declared.unstoredWake !== null) await this.#storeWake(declared)
  }

  #declareIn(ledger: Ledger, declared: Declared): Promise<void> {
    return ledger.declare(declared.job.name, declared.occurrences.text, this.#pastOf(declared))
  }

  /** The occurrence up to which nothing has to be made up for. */
  #pastOf({ occurrences }: Declared): number | null {
    const isSole = occurrences.text.startsWith('at ')
    return isSole ? null : occurrences.latest(Date.now())
  }

  async #storeWake(declared: Declared): Promise<void> {
    const at = declared.unstoredWake
    if (at === null) return
    // A time that is past by this clock may be in the future of the database's.
    const stored = await this.#options.ledger.wake(declared.job.name, at <= Date.now() ? null : at)
    if (stored === null) declared.isStored = false
    else if (declared.unstoredWake === at) declared.unstoredWake = null
  }

  /** Makes Agenda wake a job at the time in the ledger, unless it does already. */
  async #arm(row: LedgerRow): Promise<void> {
    const declared = this.#declared.get(row.name)
    const clock = this.#running
    if (!declared || !clock) return
    const wanted = this.#wantedAt(declared, row)
    if (wanted === null) return
    const entry = clock.entry(row.name)
    const isLate = entry && entry.lockedAt === null && (entry.nextRunAt === null || entry.nextRunAt > wanted)
    if (!entry || isLate) await clock.arm(row.name, wanted)
  }

  /** The next time of a job; a past moment means now. */
  #wantedAt({ job, occurrences }: Declared, { tick, wake_at, live, abandoned, is_paused }: LedgerRow): number | null {
    const now = Date.now()
    const next = occurrences.next(now)
    // A later time is found at the end of the run, or of the pause.
    if (is_paused || live >= (job.concurrency ?? 1)) return next
    const due = occurrences.latest(now)
    const missed = due !== null && (tick === null || tick < due) ? due : null
    return earliest([next, missed, wake_at, abandoned ? now : null])
  }

  /** Runs a claimed run; a server that stops leaves it to another one. */
  #begin(run: ClaimedRun): void {
    const taken = this.#work.take([run])
    if (this.#isStopping) this.#work.release(taken)
    else for (const each of taken) this.#work.begin(each)
  }

  /** Records the ends of runs. Those that belong to another instance by then, and those recorded before, stay unchanged. */
  async #record(settled: Parameters<LeaseTable<ClaimedRun, Outcome>['record']>[0]): Promise<readonly never[]> {
    for (const { item, outcome } of settled) {
      const row = await this.#options.ledger.end({ name: item.job.name, run: item.id, ...outcome })
      if (row && !this.#isStopping) await this.#arm(row)
    }
    return []
  }

  /** An error of the database is reported when it happens twice in a row; the next comparison tries again. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#outage.over()
    } catch (error) {
      this.#outage.failed(error)
    }
  }

  #report(message: string): void {
    const error = message.slice(0, longestMessage)
    const detail = { message: 'the ledger of jobs cannot be reached', job: null, error }
    this.#options.observe.log({ type: 'jobs', level: 'warn', detail })
  }
}

/** The recorded error of a run whose own message PostgreSQL refuses. */
const unstorable = 'the message of the error cannot be stored'

const earliest = (times: readonly (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function stateOf({ job, occurrences }: Declared, record: JobRecord | undefined): JobState {
  const isPaused = record?.is_paused ?? false
  const next = isPaused ? null : earliest([occurrences.next(Date.now()), record?.wake_at?.getTime() ?? null])
  return {
    ...{ name: job.name, per: 'cluster', schedule: occurrences.text || null, isPaused },
    nextRunAt: next === null ? null : new Date(next),
    lastStartedAt: record?.last_started_at ?? null,
    lastFinishedAt: record?.last_finished_at ?? null,
    lastSeconds: record?.last_seconds ?? null,
    running: record?.running ?? 0,
    runs: record?.run_count ?? 0,
    failures: record?.failure_count ?? 0,
    failuresInRow: record?.failures_in_row ?? 0,
    lastFailedAt: record?.last_failed_at ?? null,
    lastError: record?.last_error ?? null,
  }
}
