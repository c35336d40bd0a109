// Reconciles database objects that belong to the metadata, such as triggers, with the first model of a process. The
// start waits a limited time for concurrent metadata changes. A change may itself wait long for a table lock and must
// not block the start, so reconciliation is then retried in the background.

import { isBusy, isConnectionLost, isLockDenied } from '../../database/wire/postgres-errors.ts'
import { messageWithCause } from '../../errors/thrown.ts'
import { reconciliationInterval } from '../tuning.ts'

export interface ReconciliationOptions {
  /** One attempt; waits a limited time for the lock. */
  attempt(): Promise<void>
  /** Logs a warning for the administrator. */
  warn(message: string, info: unknown): void
}

export class Reconciliation {
  readonly #options: ReconciliationOptions
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(options: ReconciliationOptions) {
    this.#options = options
  }

  /** Resolves when reconciled, or when another change holds the lock; rejects on any other failure. */
  async start(): Promise<void> {
    try {
      await this.#options.attempt()
    } catch (error) {
      if (!isLockDenied(error)) throw error
      this.#options.warn('another instance is changing the metadata; the database will be reconciled afterwards', {
        reason: messageWithCause(error),
      })
      this.#later()
    }
  }

  /** Prevents further attempts. */
  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  #later(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#again(), reconciliationInterval)
    // This timer must not keep the process alive.
    this.#timer.unref()
  }

  async #again(): Promise<void> {
    try {
      await this.#options.attempt()
    } catch (error) {
      if (isLockDenied(error) || isConnectionLost(error) || isBusy(error)) this.#later()
      else
        this.#options.warn('the database could not be reconciled with the metadata', {
          reason: messageWithCause(error),
        })
    }
  }
}
