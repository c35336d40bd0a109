// Node's response, with optimizations for small and large bodies.

import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ServerResponse } from '../node-http.ts'
import { largePart, smallBody } from '../tuning.ts'

declare module 'node:net' {
  interface Socket {
    /** Whether a response is in flight on it, or a WebSocket uses it. */
    isInUse?: boolean
  }
}

/**
 * Sends a small body together with the headers. Node joins them only if the body is a string, so its bytes go out as
 * Latin-1.
 */
export class JoiningResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override assignSocket(socket: Socket): void {
    super.assignSocket(socket)
    socket.isInUse = true
  }

  override detachSocket(socket: Socket): void {
    super.detachSocket(socket)
    socket.isInUse = false
  }

  override end(body?: unknown, encoding?: unknown, done?: unknown): this {
    const then = (typeof encoding === 'function' ? encoding : done) as (() => void) | undefined
    if (Buffer.isBuffer(body) && body.length > largePart) {
      if (!this.headersSent) this.setHeader('content-length', body.length)
      return this.#endInParts(body, 0, then)
    }
    if (!Buffer.isBuffer(body) || body.length > smallBody) {
      return super.end(body, encoding as BufferEncoding, then)
    }
    return super.end(body.toString('latin1'), 'latin1', then)
  }

  /** A body that the client reads as fast as it is written would hold up everything else until its end. */
  #endInParts(body: Buffer, start: number, done: (() => void) | undefined): this {
    const end = start + largePart
    if (end >= body.length) return super.end(body.subarray(start), done)
    const next = () => {
      if (!this.destroyed) this.#endInParts(body, end, done)
    }
    if (this.write(body.subarray(start, end))) setImmediate(next)
    else this.once('drain', next)
    return this
  }
}
