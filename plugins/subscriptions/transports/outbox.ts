// What waits to be sent to a client. Answers of live queries are states: of those that a slow client has not taken yet only
// the newest of each counts.

/** The sending side of a connection. */
export interface Outlet {
  /** Bytes that were sent and not taken yet. */
  readonly buffered: number
  /** Calls `done` when the bytes are on their way. */
  send(message: Buffer | string, done: () => void): void
}

/** From so many bytes on that the client has not taken, states wait here. */
const highWater = 262_144

export class Outbox {
  readonly #outlet: Outlet
  readonly #states = new Map<string, Buffer>()
  #waiting: (() => void)[] = []
  readonly #flush = () => this.flush()
  /** Bytes that were sent. */
  bytes = 0

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  get isFull(): boolean {
    return this.#outlet.buffered > highWater
  }

  send(message: Buffer | string): void {
    this.bytes += message.length
    this.#outlet.send(message, this.#flush)
  }

  /** Sends the state of an operation, or keeps it in place of the one that waits. */
  sendState(id: string, message: Buffer): void {
    if (this.isFull) this.#states.set(id, message)
    else this.send(message)
  }

  /** Forgets the state of an operation that is over. */
  forget(id: string): void {
    this.#states.delete(id)
  }

  /** Resolves when the client has taken enough for more to be sent. */
  async room(): Promise<void> {
    if (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  flush(): void {
    if (this.isFull) return
    for (const [id, message] of this.#states) {
      this.#states.delete(id)
      this.send(message)
      if (this.isFull) return
    }
    this.release()
  }

  /** Lets go whoever waits for room. */
  release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
