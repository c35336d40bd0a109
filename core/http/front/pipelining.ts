// Pipelined requests: each waits for the answers before it, so that a connection holds one answer at a time, and few of them wait.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait on one connection: beyond that no more are read from it, since an answer may take as long as a stream does. */
const mostWaiting = 100

declare module 'node:net' {
  interface Socket {
    /** Requests that wait for their turn; absent: there never was one. */
    waiting?: number
  }
}

/** Hands requests on when it is their turn. */
export const inTurn =
  (pass: RequestListener) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    // Nothing is done for what comes behind an answer that ended the connection: nobody would hear of it.
    if (socket.writableEnded) return
    if (response.socket !== null) {
      pass(request, response)
      return
    }
    socket.waiting = (socket.waiting ?? 0) + 1
    if (socket.waiting === mostWaiting) hold(socket)
    response.once('socket', () => {
      if (socket.waiting === mostWaiting) release(socket)
      socket.waiting!--
      pass(request, response)
    })
  }

/** Node has a connection read on after each request, so it is held whenever that is to happen. */
function hold(socket: Socket): void {
  socket.on('resume', pause)
  socket.pause()
}

function release(socket: Socket): void {
  socket.off('resume', pause)
  socket.resume()
}

function pause(this: Socket): void {
  this.pause()
}
