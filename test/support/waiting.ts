// Waiting for what happens by itself.

import { setTimeout as sleep } from 'node:timers/promises'

/** What `read` gives as soon as it gives something; fails when that takes unreasonably long. */
export async function eventually<T>(read: () => T | null | undefined | false | Promise<T | null | undefined | false>) {
  for (const started = Date.now(); ; await sleep(20)) {
    const found = await read()
    if (found !== null && found !== undefined && found !== false) return found
    if (Date.now() - started > 20_000) throw new Error('it did not happen')
  }
}
