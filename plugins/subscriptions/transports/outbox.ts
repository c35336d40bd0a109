// Outgoing messages of a connection. Answers of live queries are states: a slow client gets only the newest one of each
// operation.

import { highWaterBytes } from '../tuning.ts'

/** The sending side of a connection. */
export interface Outlet {
  /** Bytes that were sent but not received yet. */
  readonly buffered: number
  /** Sends a message; the outbox is flushed when buffered bytes were received. */
  send(message: Buffer): void
}

/** Each client has one, so rarely used fields are created on demand. */
export class Outbox {
  readonly #outlet: Outlet
  #states: Map<string, Buffer> | null = null
  #waiting: (() => void)[] | null = null
  /** Bytes sent since the start. */
  bytes = 0

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  get isFull(): boolean {
    return this.#outlet.buffered > highWaterBytes
  }

  send(message: Buffer): void {
    this.bytes += message.length
    this.#outlet.send(message)
  }

  /** Sends the state of an operation, or stores it instead of the one that waits. */
  sendState(id: string, message: Buffer): void {
    if (this.isFull) {
      this.#states ??= new Map()
      this.#states.set(id, message)
    } else this.send(message)
  }

  /** Drops the waiting state of a finished operation. */
  forget(id: string): void {
    this.#states?.delete(id)
  }

  /** Resolves when the client has received enough. */
  async room(): Promise<void> {
    if (!this.isFull) return
    await new Promise<void>((resolve) => {
      this.#waiting ??= []
      this.#waiting.push(resolve)
    })
  }

  /** Sends waiting states after the client has received bytes. */
  flush(): void {
    if (this.isFull) return
    for (const [id, message] of this.#states ?? []) {
      this.#states?.delete(id)
      this.send(message)
      if (this.isFull) return
    }
    this.#states = null
    this.release()
  }

  /** Resolves all pending calls of `room`. */
  release(): void {
    const waiting = this.#waiting
    this.#waiting = null
    for (const resolve of waiting ?? []) resolve()
  }
}
