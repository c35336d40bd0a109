// Detects requests that were lost because the server closed a keep-alive connection at the same moment. Such a
// request was never read. It is sent again on a new connection if a repetition is safe.

import type { Socket } from 'node:net'
import { InterimAnswers } from '../answer/interim-answers.ts'
import { crossingMillis } from '../tuning.ts'

/** When bytes were received on a connection, by `performance.now()`. */
interface Reception {
  first: number
  last: number
}

/** The receptions of connections, by the error that ended them: the library passes a request the error, but not its socket. */
const receptions = new WeakMap<object, Reception>()

/** Observes a new connection; `answered` is called when the first bytes arrive. */
export function observeReception(socket: Socket, answered: () => void): void {
  const reception: Reception = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  const interim = new InterimAnswers()
  const read = socket.read.bind(socket)
  let written = -1
  socket.on('error', (error) => void receptions.set(error, reception))
  // The library reads only by this method. A `data` listener would take the data away from it.
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

/** Whether a request may have been lost: its connection had been used before, and was closed just after it was sent. */
export function isLostOnKeepAlive(error: Error, sent: number): boolean {
  const reception = receptions.get(error)
  return (
    reception !== undefined &&
    reception.first < sent &&
    reception.last < sent &&
    performance.now() < sent + crossingMillis
  )
}
