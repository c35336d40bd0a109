// Agenda wakes jobs: it knows when, and its locks decide which instance. Reading its sources (6.2.6) showed these problems, which this
// file works around. test/jobs/clock.test.ts shows each of them, and mongodb.test.ts the last one.
//
// - It queries the database once per job and round. Here one statement reads all entries, and a notification within the process passes a
//   due one to Agenda, which may then query once. A few do so at a time, so that other statements run in between.
// - It locks jobs that are due within its polling interval, and keeps the lock until their time. Here it locks only jobs that are due.
// - It takes over an expired lock even if its job is due later, and then unlocks it without waiting for the result: a lost database
//   becomes an unhandled rejection. Here such a job is woken, and the ledger tells when it is due.
// - It drops a job whose lock has aged while the database answered, and keeps counting it as locked. Here a lock is new when it arrives.
// - It saves a job before its body, although nothing that matters has changed. Here that statement is left out.
// - It keeps the earlier time if a job is saved with one that is past. Here a time is always a little ahead.
// - Its constructor connects, and a failure would be an unhandled rejection. Here the store connects by itself.

import { setTimeout as sleep } from 'node:timers/promises'
import { Agenda, InMemoryNotificationChannel, type Job, type JobParameters, type JobRepository, toJobId } from 'agenda'
import { aheadMillis, lockMillis, mostQueries, scanMillis, scanRetryMillis, storeCloseMillis } from '../tuning.ts'
import { type Entry, entryOf, type Store } from './store.ts'

export interface ClockOptions {
  readonly store: Store
  /** The name of this instance in locks. */
  readonly instance: string
  /** The declared jobs. */
  readonly names: () => readonly string[]
  /** Begins a due job; gives its next time, null: never. Must not reject. */
  readonly onDue: (name: string) => Promise<number | null>
  /** Called after the entries were read, so that missing ones can be found. Must not reject. */
  readonly onScan: () => Promise<void>
  /** Called whenever the store fails to answer, and with null when it answers first or again. */
  readonly onTrouble: (error: Error | null) => void
}

export class Clock {
  readonly #options: ClockOptions
  readonly #channel = new InMemoryNotificationChannel()
  readonly #agenda: Agenda
  /** The entries as last read: other instances may have changed them. */
  readonly #entries = new Map<string, Entry>()
  /** The names that Agenda is querying for. */
  readonly #asked = new Set<string>()
  /** Those of them whose query has not begun. */
  readonly #unqueried = new Set<string>()
  #timer: NodeJS.Timeout | null = null
  #lastScan = Number.NEGATIVE_INFINITY
  #scanning: Promise<void> | null = null
  #isOpen = false
  /** Null before the first answer of the store. */
  #isTroubled: boolean | null = null
  #isStopped = false

  constructor(options: ClockOptions) {
    this.#options = options
    const connect = async () => {}
    const repository = this.#adapted(options.store.repository)
    this.#agenda = new Agenda({
      backend: { name: options.store.name, repository, connect, disconnect: connect, ownsConnection: false },
      notificationChannel: this.#channel,
      ...{ name: options.instance, defaultConcurrency: 1, defaultLockLifetime: lockMillis },
    })
    // Agenda emits this even if saving has failed; the next scan finds the difference.
    this.#agenda.on('complete', (job: Job) => this.#keep(job.attrs))
  }

  /** Starts; does not wait for a database. */
  async start(): Promise<void> {
    await this.#agenda.start()
    this.#scan()
  }

  /** Begins no more jobs; running bodies are not its concern. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await Promise.race([this.#letGo(), sleep(storeCloseMillis, undefined, { ref: false })])
  }

  async #letGo(): Promise<void> {
    await this.#agenda.stop().catch(() => {})
    await this.#options.store.close().catch(() => {})
    // It ends with the connections.
    await this.#scanning
  }

  /** A job's entry; undefined: it has none. */
  entry(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** Whether the store answers. */
  get isWell(): boolean {
    return this.#isOpen && this.#isTroubled !== true
  }

  /** Wakes a job at a time. If the store fails, the next scan finds the difference. */
  async arm(name: string, at: number): Promise<void> {
    if (this.#isStopped || !this.isWell) return
    const nextRunAt = new Date(Math.max(at, Date.now() + aheadMillis))
    const job: JobParameters = { name, nextRunAt, type: 'single', priority: 0, data: {} }
    try {
      this.#keep(await this.#options.store.repository.saveJob(job, { lastModifiedBy: this.#options.instance }))
    } catch (error) {
      this.#trouble(error)
    }
  }

  async remove(name: string): Promise<void> {
    this.#entries.delete(name)
    await this.#options.store.repository.removeJobs({ name }).catch((error) => this.#trouble(error))
  }

  #keep(job: JobParameters): void {
    this.#entries.set(job.name, entryOf(job))
    this.#plan()
  }

  #trouble(error: unknown): void {
    if (this.#isStopped) return
    this.#options.onTrouble(error instanceof Error ? error : new Error(String(error)))
    if (this.#isTroubled) return
    this.#isTroubled = true
    this.#plan()
  }

  /** Waits for the next scan or due entry, whichever comes first. */
  #plan(): void {
    if (this.#isStopped) return
    if (this.#timer) clearTimeout(this.#timer)
    let next = this.#lastScan + (this.isWell ? scanMillis : scanRetryMillis)
    // The end of a query plans the timer again.
    const mayAsk = this.isWell && this.#asked.size < mostQueries
    if (mayAsk) for (const entry of this.#entries.values()) next = Math.min(next, this.#dueAt(entry))
    const wait = Math.max(next - Date.now(), this.#scanning ? 50 : 0)
    this.#timer = setTimeout(() => this.#tick(), Number.isFinite(wait) ? wait : 0).unref()
  }

  #dueAt({ name, nextRunAt, lockedAt }: Entry): number {
    if (this.#asked.has(name)) return Number.POSITIVE_INFINITY
    if (lockedAt !== null) return lockedAt + lockMillis + 1
    return nextRunAt ?? Number.POSITIVE_INFINITY
  }

  #tick(): void {
    const now = Date.now()
    if (now >= this.#lastScan + (this.isWell ? scanMillis : scanRetryMillis)) this.#scan()
    if (this.isWell) {
      for (const entry of this.#entries.values()) {
        if (this.#asked.size >= mostQueries) break
        if (this.#dueAt(entry) <= now) this.#wake(entry.name)
      }
    }
    this.#plan()
  }

  /** Passes one job to Agenda: it locks the entry, or finds that another instance has. */
  #wake(name: string): void {
    if (!this.#agenda.definitions[name]) this.#agenda.define(name, (job: Job) => this.#begin(job))
    this.#asked.add(name)
    this.#unqueried.add(name)
    const timestamp = new Date()
    const notification = { jobId: toJobId(name), jobName: name, nextRunAt: null, priority: 0, timestamp }
    this.#channel
      .publish(notification)
      .catch((error) => this.#trouble(error))
      .finally(() => {
        this.#asked.delete(name)
        this.#unqueried.delete(name)
        this.#plan()
      })
  }

  async #begin(job: Job): Promise<void> {
    const next = this.#isStopped ? Date.now() : await this.#options.onDue(job.attrs.name)
    job.attrs.nextRunAt = next === null ? null : new Date(next)
  }

  #scan(): Promise<void> {
    this.#lastScan = Date.now()
    this.#scanning ??= this.#readEntries().finally(() => {
      this.#scanning = null
      this.#plan()
    })
    return this.#scanning
  }

  async #readEntries(): Promise<void> {
    const names = this.#options.names()
    try {
      if (!this.#isOpen) await this.#options.store.open()
      this.#isOpen = true
      const entries = await this.#options.store.entries(names)
      this.#entries.clear()
      for (const entry of entries) this.#entries.set(entry.name, entry)
      if (this.#isTroubled !== false) this.#options.onTrouble(null)
      this.#isTroubled = false
    } catch (error) {
      // The store's table or index may be gone.
      this.#isOpen = false
      this.#trouble(error)
      return
    }
    await this.#options.onScan()
  }

  /** The repository for Agenda. */
  #adapted(repository: JobRepository): JobRepository {
    return Object.assign(Object.create(repository) as JobRepository, {
      getNextJobToRun: async (...[name, , deadline, , options]: Parameters<JobRepository['getNextJobToRun']>) => {
        if (!this.#unqueried.delete(name)) return undefined
        try {
          const job = await repository.getNextJobToRun(name, new Date(), deadline, undefined, options)
          // Without a job, another instance was faster; the next scan reads its result.
          if (!job) this.#entries.delete(name)
          else this.#entries.set(name, entryOf(job))
          return job && { ...job, lockedAt: new Date(), nextRunAt: new Date() }
        } catch (error) {
          this.#trouble(error)
          return undefined
        }
      },
      saveJobState: async (job, options) => {
        if (!job.lockedAt) await repository.saveJobState(job, options)
      },
    } satisfies Partial<JobRepository>)
  }
}
