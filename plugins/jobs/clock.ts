// Agenda, which wakes jobs: it says when, and by its locks which instance. Read in its sources, and stood around here:
//
// - It asks the database once per job and round. Here one statement asks for all entries, and Agenda is sent to the database only for those that are
//   due, by a notification that never leaves the process.
// - It locks jobs ahead and waits with a timer: a process that dies takes them along. What it is handed here is due.
// - It holds its lock, and a timer, while the body runs, and ends both by its own rules. Here its part is over when the body was begun.
// - A database that is lost makes promises reject that nobody holds, which would end the process: the repository it is handed does not reject where
//   it does not wait, and connecting, which it does in its constructor, cannot fail.

import { setTimeout as sleep } from 'node:timers/promises'
import { Agenda, InMemoryNotificationChannel, type Job, type JobParameters, type JobRepository, toJobId } from 'agenda'
import { type Entry, entryOf, type Store } from './store.ts'

/** Milliseconds between two looks at all entries. */
const scanEvery = 5_000
/** The same while the store does not answer. */
const retryEvery = 1_000
/** Milliseconds after which an entry that was locked is anybody's: what happens under the lock takes a few. */
const lockLifetime = 4_000
/** Entries that Agenda is sent for at once: however many are due at the same moment, others get to the databases meanwhile. */
const mostAsked = 4
/** How many milliseconds before the moment Agenda takes a time for one in the past, which it would not store. */
const ahead = 20
/** Milliseconds that the end waits for a store that does not say anything any more: locks are short, and nothing else is lost. */
const longestFarewell = 1_000

export interface ClockOptions {
  readonly store: Store
  /** Says who holds a lock. */
  readonly instance: string
  /** The jobs that are declared. */
  readonly names: () => readonly string[]
  /** Begins what is due; gives the time at which it is to be woken again, null: never. Must not reject. */
  readonly onDue: (name: string) => Promise<number | null>
  /** Told when the entries were read, by which it may be seen what is missing. Must not reject. */
  readonly onScan: () => Promise<void>
  /** Called each time that the store does not answer, and (null) when it answers for the first time or again. */
  readonly onTrouble: (error: Error | null) => void
}

export class Clock {
  readonly #options: ClockOptions
  readonly #channel = new InMemoryNotificationChannel({ reconnect: { enabled: false } })
  readonly #agenda: Agenda
  /** What is known of the entries: others may have changed them since. */
  readonly #entries = new Map<string, Entry>()
  /** Names that Agenda asks the database for at the moment. */
  readonly #asked = new Set<string>()
  #timer: NodeJS.Timeout | null = null
  #lastScan = Number.NEGATIVE_INFINITY
  #scanning: Promise<void> | null = null
  #isOpen = false
  /** Null until the store was asked. */
  #isTroubled: boolean | null = null
  #isStopped = false

  constructor(options: ClockOptions) {
    this.#options = options
    const connect = async () => {}
    const repository = this.#guarded(options.store.repository)
    this.#agenda = new Agenda({
      backend: { name: options.store.name, repository, connect, disconnect: connect, ownsConnection: false },
      notificationChannel: this.#channel,
      ...{ name: options.instance, processEvery: lockLifetime, maxConcurrency: 100, defaultLockLifetime: lockLifetime },
      ...{ defaultConcurrency: 1, defaultLockLimit: 1 },
    })
    this.#agenda.on('error', () => {})
  }

  /** Begins to look; waits for no database. */
  async start(): Promise<void> {
    await this.#agenda.start()
    this.#scan()
  }

  /** Takes nothing more; a body that was begun is not its business. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await Promise.race([this.#letGo(), sleep(longestFarewell, undefined, { ref: false })])
  }

  async #letGo(): Promise<void> {
    await this.#agenda.stop(false).catch(() => {})
    await this.#options.store.close().catch(() => {})
    // Ends with the connections.
    await this.#scanning
  }

  /** What is known of a job's entry; undefined: it has none. */
  entry(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  /** Whether the entries can be read. */
  get isWell(): boolean {
    return this.#isOpen && this.#isTroubled !== true
  }

  /** Has a job woken at a time; when that cannot be stored, the next look at the entries tells. */
  async arm(name: string, at: number): Promise<void> {
    if (this.#isStopped || !this.isWell) return
    const nextRunAt = new Date(Math.max(at, Date.now() + ahead))
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

  /** Looks at all entries, soon. */
  scanSoon(): void {
    this.#lastScan = Number.NEGATIVE_INFINITY
    this.#plan()
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

  /** Waits for what comes first: the next look, or an entry that is due. */
  #plan(): void {
    if (this.#isStopped) return
    if (this.#timer) clearTimeout(this.#timer)
    let next = this.#lastScan + (this.isWell ? scanEvery : retryEvery)
    // Whoever ends being asked for plans anew.
    const mayAsk = this.isWell && this.#asked.size < mostAsked
    if (mayAsk) for (const entry of this.#entries.values()) next = Math.min(next, this.#dueAt(entry))
    const wait = Math.max(next - Date.now(), this.#scanning ? 50 : 0)
    this.#timer = setTimeout(() => this.#tick(), Number.isFinite(wait) ? wait : 0).unref()
  }

  #dueAt({ name, nextRunAt, lockedAt }: Entry): number {
    if (this.#asked.has(name)) return Number.POSITIVE_INFINITY
    if (lockedAt !== null) return lockedAt + lockLifetime + 1
    return nextRunAt ?? Number.POSITIVE_INFINITY
  }

  #tick(): void {
    const now = Date.now()
    if (now >= this.#lastScan + (this.isWell ? scanEvery : retryEvery)) this.#scan()
    if (this.isWell) {
      for (const entry of this.#entries.values()) {
        if (this.#asked.size >= mostAsked) break
        if (this.#dueAt(entry) <= now) this.#wake(entry.name)
      }
    }
    this.#plan()
  }

  /** Sends Agenda for one job: it locks the entry, or learns that another instance has. */
  #wake(name: string): void {
    if (!this.#agenda.definitions[name]) {
      this.#agenda.define(name, (job: Job) => this.#begin(job), { concurrency: 1, lockLimit: 1, lockLifetime })
    }
    this.#asked.add(name)
    const timestamp = new Date()
    const notification = { jobId: toJobId(name), jobName: name, nextRunAt: null, priority: 0, timestamp }
    this.#channel
      .publish(notification)
      .catch((error) => this.#trouble(error))
      .finally(() => {
        this.#asked.delete(name)
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
      // What the store needs may be gone.
      this.#isOpen = false
      this.#trouble(error)
      return
    }
    await this.#options.onScan()
  }

  /** The repository as Agenda gets it. */
  #guarded(repository: JobRepository): JobRepository {
    const swallow = (error: unknown) => this.#trouble(error)
    return Object.assign(Object.create(repository) as JobRepository, {
      connect: async () => {},
      getNextJobToRun: (...[name, , deadline, , options]: Parameters<JobRepository['getNextJobToRun']>) =>
        this.#lock(repository, { name, deadline, options }),
      saveJobState: async (job, options) => {
        // Before the body there is nothing to say: the lock is stored, and it is short.
        if (job.lockedAt) return
        try {
          await repository.saveJobState(job, options)
          this.#keep(job)
        } catch (error) {
          this.#entries.delete(job.name)
          swallow(error)
        }
      },
      unlockJob: (job) => repository.unlockJob(job).catch(swallow),
      // Called at the end, when nobody waits for a database that is away: locks are short.
      unlockJobs: async (ids) => (this.isWell ? repository.unlockJobs(ids).catch(swallow) : undefined),
    } satisfies Partial<JobRepository>)
  }

  /** Locks an entry that is due; those of which nothing is known to be due cost nothing. */
  async #lock(repository: JobRepository, wanted: Wanted): Promise<JobParameters | undefined> {
    const { name, deadline, options } = wanted
    if (this.#isStopped || !this.#asked.has(name)) return undefined
    try {
      const job = await repository.getNextJobToRun(name, new Date(), deadline, undefined, options)
      // Another instance was faster: the next look tells what it made of it.
      if (job) this.#entries.set(name, entryOf(job))
      else this.#entries.delete(name)
      return job
    } catch (error) {
      this.#entries.delete(name)
      this.#trouble(error)
      return undefined
    }
  }
}

/** A job that Agenda asks for. */
interface Wanted {
  readonly name: string
  readonly deadline: Date
  readonly options: Parameters<JobRepository['getNextJobToRun']>[4]
}
