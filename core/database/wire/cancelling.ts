// Cancelling what PostgreSQL runs for a connection. A request for it hits whatever runs when it arrives, so nobody else
// may use the connection until it has.

import { setTimeout as sleep } from 'node:timers/promises'
import { onAbort } from '../../concurrency/aborting.ts'
import { codeOf } from '../../errors/thrown.ts'
import { originOf } from './postgres-errors.ts'

/** What can have its running statement cancelled. */
export interface Cancellable {
  /** Resolves when PostgreSQL has seen the request, or could not be reached. */
  cancelRunning(): Promise<void>
}

const queryCanceled = '57014'

/** Whether a statement failed because it was cancelled, by whomever. */
export function isCancelled(error: unknown): boolean {
  return codeOf(originOf(error)) === queryCanceled
}

/** Milliseconds after which a request is repeated, at first and at most: each one is a connection. */
const [soonMillis, lateMillis] = [50, 2000]

/** Cancels until it has had its effect: a request that arrives between two statements has none. */
export async function cancelUntil(hasEnded: () => boolean, connection: Cancellable): Promise<void> {
  for (let pause = soonMillis; !hasEnded(); pause = Math.min(pause * 2, lateMillis)) {
    await connection.cancelRunning()
    for (let waited = 0; waited < pause && !hasEnded(); waited += soonMillis) await sleep(soonMillis)
  }
}

/** Cancels what runs for a connection from the moment when the signal aborts until it is settled. */
export class Cancelling {
  #isSettled = false
  #cancelled: Promise<void> | null = null
  readonly #stop: () => void

  constructor(signal: AbortSignal, connection: Cancellable) {
    this.#stop = onAbort(signal, () => {
      this.#cancelled = cancelUntil(() => this.#isSettled, connection)
    })
  }

  /** Ends it; resolves when a request to cancel that was on its way has arrived. */
  async settle(): Promise<void> {
    this.#isSettled = true
    this.#stop()
    await this.#cancelled
  }
}
