// Hears from the database that something is to be delivered, on one connection for all who wait for that.

import type { Database } from '../../sdk/sql.ts'

/** The channel of the notifications; their payload is the topic. */
export const wakeChannel = 'trellis_delivery'

/** Milliseconds after which a lost connection is made anew; what is missed meanwhile is found by looking. */
const pauseMillis = 1000

type Listening = Awaited<ReturnType<Database['listen']>>

export class Wake {
  readonly #database: Pick<Database, 'listen'>
  readonly #sleepers = new Map<string, () => void>()
  #listening: Listening | null = null
  #connecting: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(database: Pick<Database, 'listen'>) {
    this.#database = database
  }

  /** Calls back whenever something of that topic is to be delivered. */
  on(topic: string, wake: () => void): void {
    this.#sleepers.set(topic, wake)
  }

  /** Says by itself that something of a topic may be to be delivered. */
  call(topic: string): void {
    this.#sleepers.get(topic)?.()
  }

  start(): void {
    this.#connecting = this.#connect()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#connecting
    await this.#listening?.stop()
  }

  async #connect(): Promise<void> {
    const notified = (topic: string) => this.call(topic)
    try {
      this.#listening = await this.#database.listen(wakeChannel, notified, () => this.#again())
      for (const wake of this.#sleepers.values()) wake()
    } catch {
      this.#again()
    }
  }

  #again(): void {
    this.#listening = null
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, pauseMillis).unref()
  }
}
