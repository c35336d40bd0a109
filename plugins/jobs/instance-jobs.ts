// Jobs that each instance runs for itself: timers of this process, without a database.

import { longestTimer } from '../../sdk/services.ts'
import type { DeclaredJob, Job, JobState } from './job.ts'
import type { Run, Runs } from './runs.ts'
import { momentOf, type Occurrences, occurrencesOf, type Schedule } from './schedule.ts'

/** The history of a job. */
interface Past {
  lastStartedAt: Date | null
  lastFinishedAt: Date | null
  lastSeconds: number | null
  runs: number
  failures: number
  failuresInRow: number
  lastFailedAt: Date | null
  lastError: string | null
}

/** A job of this instance. */
export class InstanceJob implements DeclaredJob {
  readonly #job: Job
  readonly #runs: Runs
  readonly #past: Past = {
    ...{ lastStartedAt: null, lastFinishedAt: null, lastSeconds: null, runs: 0 },
    ...{ failures: 0, failuresInRow: 0, lastFailedAt: null, lastError: null },
  }
  #occurrences: Occurrences
  /** The latest occurrence that was begun or needs no run. */
  #tick: number | null = null
  #wakeAt: number | null = null
  #timer: NodeJS.Timeout | null = null
  #isStarted = false
  readonly #onRemoved: () => void

  constructor(job: Job, runs: Runs, onRemoved: () => void) {
    this.#job = job
    this.#runs = runs
    this.#onRemoved = onRemoved
    this.#occurrences = occurrencesOf(job.schedule)
    if (job.schedule && !('at' in job.schedule)) this.#tick = this.#occurrences.latest(Date.now())
  }

  get name(): string {
    return this.#job.name
  }

  start(): void {
    this.#isStarted = true
    this.#plan()
  }

  stop(): void {
    this.#isStarted = false
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  async wake(at?: Date): Promise<void> {
    const time = at ? momentOf(at) : Date.now()
    this.#wakeAt = Math.min(this.#wakeAt ?? time, time)
    this.#plan()
  }

  async reschedule(schedule: Schedule | null): Promise<void> {
    this.#occurrences = occurrencesOf(schedule)
    const isSole = schedule !== null && 'at' in schedule
    this.#tick = isSole ? null : this.#occurrences.latest(Date.now())
    this.#plan()
  }

  async remove(): Promise<void> {
    this.stop()
    this.#onRemoved()
  }

  get state(): JobState {
    const next = this.#next()
    return {
      ...{ name: this.name, per: 'instance', schedule: this.#occurrences.text || null, isPaused: false },
      ...{ nextRunAt: next === null ? null : new Date(next), running: this.#atWork.length },
      ...this.#past,
    }
  }

  get #atWork(): readonly Run[] {
    return this.#runs.of(this.#job)
  }

  /** The time of the next run; a past moment means now. */
  #next(): number | null {
    const due = this.#occurrences.latest(Date.now())
    const isDue = due !== null && (this.#tick === null || this.#tick < due)
    const times = [isDue ? due : this.#occurrences.next(Date.now()), this.#wakeAt]
    const known = times.filter((time) => time !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  #plan(): void {
    if (!this.#isStarted) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#atWork.length >= (this.#job.concurrency ?? 1)) return
    const next = this.#next()
    if (next === null) return
    const wait = Math.min(Math.max(next - Date.now(), 0), longestTimer)
    this.#timer = setTimeout(() => this.#fire(), wait).unref()
  }

  #fire(): void {
    const now = Date.now()
    const next = this.#next()
    if (next !== null && next <= now) {
      this.#tick = this.#occurrences.latest(now) ?? this.#tick
      if (this.#wakeAt !== null && this.#wakeAt <= now) this.#wakeAt = null
      this.#past.lastStartedAt = new Date(now)
      const run = this.#runs.begin(this.#job, next)
      run.outcome.then(({ error, seconds }) => this.#ended(error, seconds))
    }
    this.#plan()
  }

  #ended(error: string | null, seconds: number): void {
    const past = this.#past
    past.lastFinishedAt = new Date()
    past.lastSeconds = seconds
    past.runs++
    past.failuresInRow = error === null ? 0 : past.failuresInRow + 1
    if (error !== null) {
      past.failures++
      past.lastFailedAt = past.lastFinishedAt
      past.lastError = error
    }
    this.#plan()
  }
}
