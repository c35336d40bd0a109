// Learns of metadata changes by other instances: by notification, and by polling in case a notification is lost.
// Without notifications it polls every second.

import type { Database } from '../../database/database.ts'
import { syncInterval } from '../tuning.ts'
import { type MetadataNotice, metadataChannel } from './store.ts'

export interface SyncOptions {
  readonly database: Pick<Database, 'listen' | 'rows'>
  /** This process; it ignores its own notices. */
  readonly instance: string
  /** The version stored now. */
  storedVersion(): Promise<number>
  /** Called with each version heard of, and the tables that the other instance read for it. */
  onVersion(version: number, tables: MetadataNotice['tables']): Promise<void>
  /** Called once when notifications or polling fail, and again only after both have recovered. */
  onProblem(error: unknown): void
  /** Replaces `syncInterval`. */
  readonly interval?: number
}

/** Listens and polls from {@link MetadataSync.start} to {@link MetadataSync.stop}. */
export class MetadataSync {
  readonly #options: SyncOptions
  readonly #interval: number
  readonly #timers = new Set<NodeJS.Timeout>()
  #listener: { stop(): Promise<void> } | null = null
  #working: Promise<void> = Promise.resolve()
  #stopped = false
  /** Whether the current problem was reported. */
  #isReported = false

  constructor(options: SyncOptions) {
    this.#options = options
    this.#interval = options.interval ?? syncInterval
  }

  start(): void {
    this.#poll()
    this.#listen()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#listener?.stop()
    await this.#working
  }

  #later(run: () => void, millis = this.#interval): void {
    if (this.#stopped) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, millis)
    // This timer must not keep the process alive.
    timer.unref()
    this.#timers.add(timer)
  }

  #poll(): void {
    this.#working = this.#check().finally(() => {
      this.#later(() => this.#poll(), this.#listener ? 2 * this.#interval : this.#interval)
    })
  }

  async #check(): Promise<void> {
    try {
      await this.#options.onVersion(await this.#options.storedVersion(), 'all')
      if (this.#listener) this.#isReported = false
    } catch (error) {
      this.#report(error)
    }
  }

  #listen(): void {
    const { database } = this.#options
    let isLost = false
    const again = (error: unknown) => {
      // A failed connection attempt is reported twice: by the rejection and by the end of the connection.
      if (isLost) return
      isLost = true
      this.#listener = null
      this.#report(error)
      this.#later(() => this.#listen())
    }
    database
      .listen(metadataChannel, (payload) => this.#notified(payload), again)
      .then(async (listener) => {
        if (this.#stopped) await listener.stop()
        else this.#listener = listener
      })
      .catch(again)
  }

  #notified(payload: string): void {
    const notice = readNotice(payload)
    if (this.#stopped || !notice || notice.instance === this.#options.instance) return
    this.#options.onVersion(notice.version, notice.tables).catch((error) => this.#report(error))
  }

  #report(error: unknown): void {
    if (this.#stopped || this.#isReported) return
    this.#isReported = true
    this.#options.onProblem(error)
  }
}

/** The content of a notification; null when it is malformed. */
function readNotice(payload: string): MetadataNotice | null {
  try {
    const { instance, version, tables } = JSON.parse(payload) as Partial<MetadataNotice>
    if (typeof instance !== 'string' || typeof version !== 'number') return null
    return { instance, version, tables: Array.isArray(tables) ? tables : 'all' }
  } catch {
    return null
  }
}
