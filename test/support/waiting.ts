// Waiting for conditions.

import { setTimeout as sleep } from 'node:timers/promises'

/** Polls and milliseconds until a wait fails. Both have to pass, because polls take long on a busy machine. */
const [mostPolls, timeoutMillis] = [900, 20_000]

/**
 * Returns the first value of `read` that is not empty. Fails after a timeout, to which `expected` milliseconds are
 * added.
 */
export async function eventually<T>(
  read: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  expected = 0,
) {
  const started = Date.now()
  for (let polls = 1; ; polls++) {
    const found = await read()
    if (found !== null && found !== undefined && found !== false) return found
    if (polls > mostPolls && Date.now() - started > timeoutMillis + expected) throw new Error('it did not happen')
    await sleep(20)
  }
}

/** Waits until the number is 0; fails if it does not fall within the timeout. */
export async function untilNoneLeft(left: () => Promise<number>): Promise<void> {
  for (let before = await left(); before > 0; ) {
    before = await eventually(async () => {
      const now = await left()
      return now < before && { now }
    }).then(({ now }) => now)
  }
}
