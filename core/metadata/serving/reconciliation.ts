// What lives in the database beside the metadata is brought in line with the first model of a process. Who changes the
// metadata meanwhile is waited for; but a change may itself wait for long, for a table that somebody holds, and keeps no
// server from starting: then it is tried again beside the work.

import { isBusy, isConnectionLost, isLockDenied } from '../../database/wire/postgres-errors.ts'
import { messageWithCause } from '../../errors/thrown.ts'

export interface ReconciliationOptions {
  /** One attempt; waits for the lock for a limited time. */
  attempt(): Promise<void>
  /** For what the administrator is to know of. */
  warn(message: string, info: unknown): void
}

/** Milliseconds between attempts. */
const pauseMillis = 1000

export class Reconciliation {
  readonly #options: ReconciliationOptions
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(options: ReconciliationOptions) {
    this.#options = options
  }

  /** Resolves when it is done, or others have to be waited for; rejects when it fails otherwise. */
  async start(): Promise<void> {
    try {
      await this.#options.attempt()
    } catch (error) {
      if (!isLockDenied(error)) throw error
      this.#options.warn('the database is brought in line with the metadata later: they are being changed', {
        reason: messageWithCause(error),
      })
      this.#later()
    }
  }

  /** No attempt begins any more. */
  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  #later(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#again(), pauseMillis)
    // Whether the process goes on is for others to say.
    this.#timer.unref()
  }

  async #again(): Promise<void> {
    try {
      await this.#options.attempt()
    } catch (error) {
      if (isLockDenied(error) || isConnectionLost(error) || isBusy(error)) this.#later()
      else
        this.#options.warn('the database could not be brought in line with the metadata', {
          reason: messageWithCause(error),
        })
    }
  }
}
