// Hearing of all that is written, by whomever: which tables, as soon as it is committed. There are two means, of which the
// first that the server allows is taken: decoding its log, and triggers that notify.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../../sdk/sql.ts'
import type { HeardCommit, ReadTable } from './reads.ts'
import { TriggerWatch } from './triggers.ts'

/** Means by which changes are heard of. */
export type Means = 'decoding' | 'triggers'

export interface ChangeWatchOptions {
  readonly database: Pick<Database, 'decode' | 'listen' | 'rows' | 'transaction'>
  onCommit(commit: HeardCommit): void
  /** Told when the means at hand changes, with why there is none. */
  onMeans(means: Means | null, reason: string | null): void
}

/** Milliseconds until hearing is tried again after it ended. */
const patience = 2000

/** Milliseconds within which PostgreSQL ends a connection that was closed. */
const endingMillis = 100

export class ChangeWatch {
  readonly #options: ChangeWatchOptions
  readonly #triggers: TriggerWatch
  #means: Means | null = null
  #stopHearing: (() => Promise<void>) | null = null
  #isStopped = false
  /** Why neither means can be had; what was told last. */
  #reason: string | null = null

  constructor(options: ChangeWatchOptions) {
    this.#options = options
    this.#triggers = new TriggerWatch(options)
  }

  /** How changes are heard of now; null: they are not. */
  get means(): Means | null {
    return this.#means
  }

  /** Whether writes to these tables are heard of. */
  hears(tables: readonly ReadTable[]): boolean {
    return this.#means === 'decoding' || (this.#means === 'triggers' && this.#triggers.has(tables))
  }

  /** Has writes to these tables heard of, if they can be. */
  async watch(tables: readonly ReadTable[]): Promise<void> {
    if (this.#means === 'triggers') await this.#triggers.add(tables)
  }

  /** Begins to hear; resolves when it is known by which means. */
  async start(): Promise<void> {
    if (this.#isStopped) return
    const means = (await this.#try('decoding')) ?? (await this.#try('triggers'))
    if (this.#isStopped) return
    if (means !== this.#means || means === null) this.#options.onMeans(means, means === null ? this.#reason : null)
    this.#means = means
    if (means === null) void this.#retry()
  }

  /** Ends it, and takes away what was made for it unless another server uses it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#stopHearing?.()
    if (this.#means !== 'triggers') return
    // The connection that listened is another process's to end.
    await sleep(endingMillis)
    await TriggerWatch.remove(this.#options.database)
  }

  async #try(means: Means): Promise<Means | null> {
    if (this.#isStopped) return null
    try {
      const begin = means === 'decoding' ? this.#decode() : this.#triggers.start(() => this.#lost())
      const { stop } = await begin
      this.#stopHearing = stop
      if (this.#isStopped) await stop()
      return means
    } catch (error) {
      this.#reason = (error as Error).message
      return null
    }
  }

  #decode() {
    const hear = ({ tables, transaction }: HeardCommit) => this.#options.onCommit({ tables, transaction })
    return this.#options.database.decode(hear, () => this.#lost())
  }

  #lost(): void {
    if (this.#isStopped) return
    this.#means = null
    this.#stopHearing = null
    this.#options.onMeans(null, 'the connection was lost')
    void this.#retry()
  }

  async #retry(): Promise<void> {
    await sleep(patience, undefined, { ref: false })
    await this.start()
  }
}
