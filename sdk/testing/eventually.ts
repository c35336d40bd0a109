// Waits in tests for effects that are not part of an answer.

import { setTimeout as sleep } from 'node:timers/promises'

/** The options of `eventually`. */
export interface EventuallyOptions {
  /** Milliseconds until it fails; 10 seconds when absent. */
  readonly timeout?: number
}

/** Milliseconds between attempts, and until an attempt fails. */
const [pause, defaultTimeout] = [20, 10_000] as const

/**
 * Repeats a check until it neither throws nor returns false, and returns its result. After the timeout it rejects with
 * the last error of the check.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeout = defaultTimeout }: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  const end = performance.now() + timeout
  let last: unknown
  for (;;) {
    try {
      const result = await check()
      if (result !== false) return result as Exclude<T, false>
      last = new Error(`the check was still false after ${timeout} ms`)
    } catch (error) {
      last = error
    }
    if (performance.now() >= end) throw last
    await sleep(pause)
  }
}
