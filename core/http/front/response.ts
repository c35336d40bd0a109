// The answer as Node sends it, but for small bodies.

import { Buffer } from 'node:buffer'
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of a body up to which it goes out in one piece with the headers, which costs less than two pieces. */
const smallBody = 4096

declare module 'node:net' {
  interface Socket {
    /** Whether an answer is under way on it, or a WebSocket has it. */
    isInUse?: boolean
  }
}

/** Has a small body sent together with the headers: Node joins them when the body is a text, and its bytes are handed on as one. */
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
    if (!Buffer.isBuffer(body) || body.length > smallBody) {
      return super.end(body, encoding as BufferEncoding, then)
    }
    return super.end(body.toString('latin1'), 'latin1', then)
  }
}
