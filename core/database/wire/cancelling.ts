// Cancelling a connection's running statement. A request cancels the statement that runs when it arrives, so the connection
// must not be reused before that.

import { setTimeout as sleep } from 'node:timers/promises'
import { onAbort } from '../../concurrency/aborting.ts'
import { codeOf } from '../../errors/thrown.ts'
import { firstCancelRetryMillis, longestCancelRetryMillis } from '../tuning.ts'
import { originOf } from './postgres-errors.ts'

/** A connection whose running statement can be cancelled. */
export interface Cancellable {
  /** Resolves when PostgreSQL has received the request, or could not be reached. */
  cancelRunning(): Promise<void>
}

const queryCanceled = '57014'

/** Whether a statement failed because it was cancelled, by any session. */
export function isCancelled(error: unknown): boolean {
  return codeOf(originOf(error)) === queryCanceled
}

/** Repeats the request until it has taken effect: a request that arrives between two statements has none. */
export async function cancelUntil(hasEnded: () => boolean, connection: Cancellable): Promise<void> {
  for (let pause = firstCancelRetryMillis; !hasEnded(); pause = Math.min(pause * 2, longestCancelRetryMillis)) {
    await connection.cancelRunning()
    for (let waited = 0; waited < pause && !hasEnded(); waited += firstCancelRetryMillis)
      await sleep(firstCancelRetryMillis)
  }
}

/** Cancels a connection's statements from the time the signal aborts until it is settled. */
export class Cancelling {
  #isSettled = false
  #cancelled: Promise<void> | null = null
  readonly #stop: () => void

  constructor(signal: AbortSignal, connection: Cancellable) {
    this.#stop = onAbort(signal, () => {
      this.#cancelled = cancelUntil(() => this.#isSettled, connection)
    })
  }

  /** Stops cancelling; resolves when the last request has arrived. */
  async settle(): Promise<void> {
    this.#isSettled = true
    this.#stop()
    await this.#cancelled
  }
}
