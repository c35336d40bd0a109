// A few connections that many requests share, each opened when it is first wanted and again after it broke.

import { SharedConnection, type SharedConnectionOptions } from './shared-connection.ts'

export interface SharedConnectionsOptions extends SharedConnectionOptions {
  /** Seconds after which a connection is replaced; null: never. */
  readonly lifetime: number | null
}

/** The statement at the head of a queue may run for so long before nothing more is put behind it. */
const patienceMillis = 20

export class SharedConnections {
  readonly #options: SharedConnectionsOptions
  readonly #connections: SharedConnection[] = []
  #isClosed = false

  constructor(options: SharedConnectionsOptions) {
    this.#options = options
  }

  /** Connections that are open. */
  get open(): number {
    return this.#connections.filter(({ isReady }) => isReady).length
  }

  /** Queries that were sent and not answered. */
  get pending(): number {
    return this.#connections.reduce((sum, { pending }) => sum + pending, 0)
  }

  /**
   * Of the first `among` connections the one with the shortest queue; null when none is to be had now. `longest`: how many
   * milliseconds its queue may take.
   */
  free(among: number, longest = Number.POSITIVE_INFINITY): SharedConnection | null {
    if (this.#isClosed) return null
    let best: SharedConnection | null = null
    for (let i = 0; i < among; i++) {
      const connection = this.#current(i)
      if (!connection.isReady || connection.busyMillis > patienceMillis || connection.queueMillis > longest) continue
      if (!best || connection.pending < best.pending) best = connection
    }
    return best
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  #current(i: number): SharedConnection {
    const { lifetime } = this.#options
    const current = this.#connections[i]
    const isOld = lifetime !== null && current?.isReady && current.ageMillis > lifetime * 1000
    if (current && !current.mayReopen && !isOld) return current
    if (isOld) current.retire()
    const opened = new SharedConnection(this.#options)
    this.#connections[i] = opened
    return opened
  }
}
