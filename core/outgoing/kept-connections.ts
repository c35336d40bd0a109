// Connections are kept for the next request, and their other side may close one just as that is sent: it never gets there then, and
// no answer comes. Such a request goes out once more, on a connection of its own, where a second one does no harm.

import type { Socket } from 'node:net'
import { InterimAnswers } from './interim-answers.ts'

/** When something was received on a connection, by `performance.now()`. */
interface Reception {
  first: number
  last: number
}

/** The connections that ended with these errors. */
const receptions = new WeakMap<object, Reception>()

/** Watches a connection that was just made; `answered` is called when something is received for the first time. */
export function watch(socket: Socket, answered: () => void): void {
  const reception: Reception = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  const interim = new InterimAnswers()
  const read = socket.read.bind(socket)
  let written = -1
  socket.on('error', (error) => void receptions.set(error, reception))
  // The library reads by this method alone. A listener for data would take the data away from it.
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size)
      if (chunk === null) return null
      reception.last = performance.now()
      if (reception.first === Number.POSITIVE_INFINITY) {
        reception.first = reception.last
        answered()
      }
      const { bytesWritten } = socket
      const rest = interim.rest(chunk, bytesWritten !== written)
      written = bytesWritten
      if (rest.length > 0) return rest
    }
  }
}

/** Milliseconds after which a receiver that closes the connection has had time to read the request. */
const crossingMillis = 1000

/** Whether a request that was sent at a moment may have been lost: its connection had been used before, and was closed just then. */
export function isLostWhileKept(error: Error, sent: number): boolean {
  const reception = receptions.get(error)
  return (
    reception !== undefined &&
    reception.first < sent &&
    reception.last < sent &&
    performance.now() < sent + crossingMillis
  )
}
