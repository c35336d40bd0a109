// Follows all writes by any client by logical decoding: it reports the changed tables and rows as soon as they are committed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, DecodedCommit, Decoding, DecodingListener } from '../../../../sdk/sql.ts'
import { longestRetryMillis, positionPauseMillis, reconnectMillis } from '../../tuning.ts'

export interface ChangeWatchOptions extends Pick<DecodingListener, 'columnsOf'> {
  readonly database: Pick<Database, 'decode'>
  onCommit(commit: DecodedCommit): void
  /** Called when writes are followed, and when they no longer are; `reason` says why not. */
  onFollowing(isFollowing: boolean, reason: string | null): void
}

export class ChangeWatch {
  readonly #options: ChangeWatchOptions
  #decoding: Decoding | null = null
  /** The position that decoding has to reach until the next check. */
  #expected = 0n
  #isStopped = false
  /** The last reported reason. */
  #reason: string | null = null
  #pause = reconnectMillis

  constructor(options: ChangeWatchOptions) {
    this.#options = options
  }

  /** Whether writes are reported. */
  get isFollowing(): boolean {
    return this.#decoding !== null
  }

  /**
   * Takes the current position of the log. Gives whether all commits up to the position of the last call were reported; a
   * stream that has stopped in silence is noticed by this alone.
   */
  check(position: bigint): boolean {
    const decoding = this.#decoding
    if (!decoding) return false
    const isReached = decoding.position >= this.#expected
    this.#expected = position
    decoding.ask()
    // The commits before the position may still be on their way now.
    setTimeout(() => {
      if (this.#decoding === decoding) decoding.ask()
    }, positionPauseMillis).unref()
    return isReached
  }

  /** Starts to follow writes; resolves after the first attempt. */
  async start(): Promise<void> {
    if (this.#isStopped) return
    try {
      const decoding = await this.#options.database.decode({
        onCommit: (commit) => this.#options.onCommit(commit),
        onLost: () => this.#lost(),
        columnsOf: (table) => this.#options.columnsOf?.(table) ?? null,
      })
      if (this.#isStopped) return await decoding.stop()
      this.#decoding = decoding
      this.#expected = 0n
      this.#pause = reconnectMillis
      this.#report(true, null)
    } catch (error) {
      if (this.#isStopped) return
      this.#report(false, (error as Error).message)
      void this.#retry()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#decoding?.stop()
  }

  #report(isFollowing: boolean, reason: string | null): void {
    if (!isFollowing && reason === this.#reason) return
    this.#reason = reason
    this.#options.onFollowing(isFollowing, reason)
  }

  #lost(): void {
    if (this.#isStopped || !this.#decoding) return
    this.#decoding = null
    this.#report(false, 'the connection was lost')
    void this.#retry()
  }

  async #retry(): Promise<void> {
    const pause = this.#pause
    this.#pause = Math.min(2 * pause, longestRetryMillis)
    await sleep(pause, undefined, { ref: false })
    await this.start()
  }
}
