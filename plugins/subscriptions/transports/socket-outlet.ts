// The sending side of a WebSocket. Clients share frames, so frames bypass the library and go directly to the socket, unless
// the connection compresses.

import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { payloadOf } from './frames.ts'
import type { Outlet } from './outbox.ts'

/** The outlet for text frames; `onTaken` is called when buffered bytes were received. */
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
