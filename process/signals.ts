// The signals that end a server: the first lets requests end, a second one does not wait.

import { repeatedSignalMillis } from './tuning.ts'
import type { WorkerLink } from './workers/link.ts'

/** The exit codes of a forced end. */
export const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** A signal that ends the server. */
export type EndSignal = keyof typeof exitCodes

/** Aborts at the first signal, or when the supervisor says so; calls `force` at the next signal. */
export function stopSignal(force: (signal: EndSignal) => void, link?: WorkerLink): AbortSignal {
  const controller = new AbortController()
  let since = 0
  const stop = () => {
    since = performance.now()
    controller.abort()
  }
  link?.onStop(() => controller.signal.aborted || stop())
  for (const signal of Object.keys(exitCodes) as EndSignal[]) {
    process.on(signal, () => {
      if (!controller.signal.aborted) stop()
      else if (performance.now() - since > repeatedSignalMillis) force(signal)
    })
  }
  return controller.signal
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done())
  })
