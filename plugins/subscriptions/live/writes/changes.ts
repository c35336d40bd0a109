// Follows all writes by any client: it reports their tables as soon as they are committed. There are two means; the first that
// the server allows is used: logical decoding, then triggers that notify.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../../sdk/sql.ts'
import { connectionEndMillis, reconnectMillis } from '../../tuning.ts'
import type { ObservedCommit, ReadTable } from './reads.ts'
import { TriggerWatch } from './triggers.ts'

/** The means to follow writes. */
export type Means = 'decoding' | 'triggers'

export interface ChangeWatchOptions {
  readonly database: Pick<Database, 'decode' | 'listen' | 'rows' | 'transaction'>
  onCommit(commit: ObservedCommit): void
  /** Called when the means changes; `reason` says why writes are not followed. */
  onMeans(means: Means | null, reason: string | null): void
}

export class ChangeWatch {
  readonly #options: ChangeWatchOptions
  readonly #triggers: TriggerWatch
  #means: Means | null = null
  #stopListening: (() => Promise<void>) | null = null
  #isStopped = false
  /** Why neither means is available; the last one reported. */
  #reason: string | null = null

  constructor(options: ChangeWatchOptions) {
    this.#options = options
    this.#triggers = new TriggerWatch(options)
  }

  /** The current means; null: writes are not followed. */
  get means(): Means | null {
    return this.#means
  }

  /** Whether writes to these tables are reported. */
  covers(tables: readonly ReadTable[]): boolean {
    return this.#means === 'decoding' || (this.#means === 'triggers' && this.#triggers.has(tables))
  }

  /** Follows writes to these tables, if possible. */
  async watch(tables: readonly ReadTable[]): Promise<void> {
    if (this.#means === 'triggers') await this.#triggers.add(tables)
  }

  /** Starts to follow writes; resolves when the means is known. */
  async start(): Promise<void> {
    if (this.#isStopped) return
    const means = (await this.#try('decoding')) ?? (await this.#try('triggers'))
    if (this.#isStopped) return
    if (means !== this.#means || means === null) this.#options.onMeans(means, means === null ? this.#reason : null)
    this.#means = means
    if (means === null) void this.#retry()
  }

  /** Stops, and removes the triggers unless another server uses them. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#stopListening?.()
    if (this.#means !== 'triggers') return
    // Another process ends the listening connection, and until then the triggers seem to be in use.
    await sleep(connectionEndMillis)
    await TriggerWatch.remove(this.#options.database)
  }

  async #try(means: Means): Promise<Means | null> {
    if (this.#isStopped) return null
    try {
      const begin = means === 'decoding' ? this.#decode() : this.#triggers.start(() => this.#lost())
      const { stop } = await begin
      this.#stopListening = stop
      if (this.#isStopped) await stop()
      return means
    } catch (error) {
      this.#reason = (error as Error).message
      return null
    }
  }

  #decode() {
    const hear = ({ tables, transaction }: ObservedCommit) => this.#options.onCommit({ tables, transaction })
    return this.#options.database.decode(hear, () => this.#lost())
  }

  #lost(): void {
    if (this.#isStopped) return
    this.#means = null
    this.#stopListening = null
    this.#options.onMeans(null, 'the connection was lost')
    void this.#retry()
  }

  async #retry(): Promise<void> {
    await sleep(reconnectMillis, undefined, { ref: false })
    await this.start()
  }
}
