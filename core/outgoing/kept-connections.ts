// Connections are kept for the next request, and their other side may close one just as that is sent: it never gets there then, and
// no answer comes. Such a request goes out once more, on another connection, where a second one does no harm.

import type { buildConnector } from 'undici'

/** When the connections were made that ended with these errors, by `performance.now()`. */
const madeAt = new WeakMap<object, number>()

/** Notes of the connections that are made what {@link isLostWhileKept} has to know. */
export const noted =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...made) => {
      const now = performance.now()
      made[1]?.on('error', (error) => void madeAt.set(error, now))
      done(...made)
    })

/** Milliseconds after which who closes the connection has had time to read what was sent. */
const crossingMillis = 1000

/** Whether a request that was sent at a moment may have been lost since its connection was older, and closed meanwhile. */
export function isLostWhileKept(error: Error, sent: number): boolean {
  const made = madeAt.get(error)
  return made !== undefined && made < sent && performance.now() < sent + crossingMillis
}
