// Waiting for what happens by itself.

import { setTimeout as sleep } from 'node:timers/promises'

/** Looked so often, and for so many milliseconds: on a machine that is slow or busy, looking takes time of its own. */
const [looks, patience] = [900, 20_000]

/** What `read` gives as soon as it gives something; fails when that takes unreasonably long, beyond `expected` milliseconds that it may take. */
export async function eventually<T>(
  read: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  expected = 0,
) {
  const started = Date.now()
  for (let looked = 1; ; looked++) {
    const found = await read()
    if (found !== null && found !== undefined && found !== false) return found
    if (looked > looks && Date.now() - started > patience + expected) throw new Error('it did not happen')
    await sleep(20)
  }
}

/** Waits until nothing is left; fails when what is left does not get less for unreasonably long. */
export async function untilNoneLeft(left: () => Promise<number>): Promise<void> {
  for (let before = await left(); before > 0; ) {
    before = await eventually(async () => {
      const now = await left()
      return now < before && { now }
    }).then(({ now }) => now)
  }
}
