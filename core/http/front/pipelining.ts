// Runs pipelined requests one after the other, so that a connection holds one response at a time, and limits how many
// may wait.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { mostPipelined } from '../tuning.ts'

declare module 'node:net' {
  interface Socket {
    /** Requests that wait for their turn; absent if none ever waited. */
    waiting?: number
  }
}

/** Passes on each request when the response before it is done. */
export const inTurn =
  (pass: RequestListener) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    // The response before has ended the connection, so an answer would not be delivered.
    if (socket.writableEnded) return
    if (response.socket !== null) {
      pass(request, response)
      return
    }
    socket.waiting = (socket.waiting ?? 0) + 1
    if (socket.waiting === mostPipelined) pauseReading(socket)
    response.once('socket', () => {
      if (socket.waiting === mostPipelined) resumeReading(socket)
      socket.waiting!--
      pass(request, response)
    })
  }

/** Node resumes reading after each request, so pause again at each `resume`. */
function pauseReading(socket: Socket): void {
  socket.on('resume', pause)
  socket.pause()
}

function resumeReading(socket: Socket): void {
  socket.off('resume', pause)
  socket.resume()
}

function pause(this: Socket): void {
  this.pause()
}
