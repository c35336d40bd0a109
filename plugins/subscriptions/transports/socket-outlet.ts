// The sending side of a WebSocket. Frames are put together once for all who get the same, so they go past the library onto
// the socket below it, unless each client's bytes are compressed.

import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { payloadOf } from './frames.ts'
import type { Outlet } from './outbox.ts'

/** What frames of text are sent by; `onTaken` is told when the client has taken bytes that were waiting. */
export function socketOutlet(webSocket: WebSocket, socket: Duplex, onTaken: () => void): Outlet {
  socket.on('drain', onTaken)
  return webSocket.extensions === '' ? new PlainOutlet(socket) : new CompressingOutlet(webSocket, onTaken)
}

class PlainOutlet implements Outlet {
  readonly #socket: Duplex

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  get buffered(): number {
    return this.#socket.writableLength
  }

  send(frame: Buffer): void {
    this.#socket.write(frame)
  }
}

class CompressingOutlet implements Outlet {
  readonly #webSocket: WebSocket
  readonly #onTaken: () => void

  constructor(webSocket: WebSocket, onTaken: () => void) {
    this.#webSocket = webSocket
    this.#onTaken = onTaken
  }

  get buffered(): number {
    return this.#webSocket.bufferedAmount
  }

  send(frame: Buffer): void {
    this.#webSocket.send(payloadOf(frame), { binary: false }, this.#onTaken)
  }
}
