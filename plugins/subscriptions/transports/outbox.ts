// What waits to be sent to a client. Answers of live queries are states: of those that a slow client has not taken yet only
// the newest of each counts.

/** The sending side of a connection. */
export interface Outlet {
  /** Bytes that were sent and not taken yet. */
  readonly buffered: number
  /** Says whether the bytes are as good as gone; when they are not, the outbox is told to flush once they are. */
  send(message: Buffer): boolean
}

/** From so many bytes on that the client has not taken, states wait here. */
const highWater = 262_144

export class Outbox {
  readonly #outlet: Outlet
  #states: Map<string, Buffer> | null = null
  #waiting: (() => void)[] | null = null
  /** Whether bytes are on their way that the client has not taken. */
  #isBehind = false
  #stuckSince: number | null = null
  /** Bytes that were sent. */
  bytes = 0

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  get isFull(): boolean {
    return this.#isBehind && this.#outlet.buffered > highWater
  }

  /** Milliseconds since the client last took everything that it could be sent; 0 while it keeps up. */
  get stuckFor(): number {
    return this.#stuckSince === null ? 0 : performance.now() - this.#stuckSince
  }

  send(message: Buffer): void {
    this.bytes += message.length
    if (this.#outlet.send(message)) return
    this.#isBehind = true
    if (this.isFull) this.#stuckSince ??= performance.now()
  }

  /** Sends the state of an operation, or keeps it in place of the one that waits. */
  sendState(id: string, message: Buffer): void {
    if (!this.isFull) {
      this.send(message)
      return
    }
    this.#stuckSince ??= performance.now()
    this.#states ??= new Map()
    this.#states.set(id, message)
  }

  /** Forgets the state of an operation that is over. */
  forget(id: string): void {
    this.#states?.delete(id)
  }

  /** Resolves when the client has taken enough for more to be sent. */
  async room(): Promise<void> {
    if (!this.isFull) return
    await new Promise<void>((resolve) => {
      this.#waiting ??= []
      this.#waiting.push(resolve)
    })
  }

  /** Sends what waits, after the client has taken bytes. */
  flush(): void {
    if (this.isFull) return
    this.#isBehind = false
    this.#stuckSince = null
    if (this.#states) {
      for (const [id, message] of this.#states) {
        this.#states.delete(id)
        this.send(message)
        if (this.isFull) return
      }
      this.#states = null
    }
    this.release()
  }

  /** Lets go whoever waits for room. */
  release(): void {
    const waiting = this.#waiting
    this.#waiting = null
    for (const resolve of waiting ?? []) resolve()
  }
}
