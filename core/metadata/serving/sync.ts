// Learns of metadata changes by other instances: by notification, and by polling in case a notification is lost.
// Without notifications it polls every second.

import type { Database } from '../../database/database.ts'
import type { Listening } from '../../database/hearing/listening.ts'
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
  #timer: NodeJS.Timeout | undefined
  #listening: Listening | null = null
  #working: Promise<void> = Promise.resolve()
  #stopped = false
  /** Whether the current problem was reported. */
  #isReported = false

  constructor(options: SyncOptions) {
    this.#options = options
    this.#interval = options.interval ?? syncInterval
  }

  start(): void {
    this.#listening = this.#options.database.listen(metadataChannel, {
      onNotify: (payload) => this.#notified(payload),
      onLost: (error) => this.#report(error),
    })
    this.#poll()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#listening?.stop()
    await this.#working
  }

  #poll(): void {
    this.#working = this.#check().finally(() => {
      if (this.#stopped) return
      const millis = this.#listening?.isHeard ? 2 * this.#interval : this.#interval
      // This timer must not keep the process alive.
      this.#timer = setTimeout(() => this.#poll(), millis).unref()
    })
  }

  async #check(): Promise<void> {
    try {
      await this.#options.onVersion(await this.#options.storedVersion(), 'all')
      if (this.#listening?.isHeard) this.#isReported = false
    } catch (error) {
      this.#report(error)
    }
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
