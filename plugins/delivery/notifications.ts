// Listens for notifications that something is due: one database connection for all workers of the instance.

import type { Database, Listening } from '../../sdk/sql.ts'

/** The channel of the notifications; the payload is the topic. */
const channel = 'trellis_delivery'

/** Notifies that something of a topic, $1, is due. */
export const notifyStatement = `select pg_catalog.pg_notify('${channel}', $1)`

export class Notifications {
  readonly #database: Pick<Database, 'listen'>
  readonly #workers = new Map<string, () => void>()
  #listening: Listening | null = null

  constructor(database: Pick<Database, 'listen'>) {
    this.#database = database
  }

  /** Whether notifications arrive. */
  get isHeard(): boolean {
    return this.#listening?.isHeard ?? false
  }

  /** Tests the connection after a missed notification; until its echo arrives, notifications count as lost. */
  verify(): void {
    const wasHeard = this.isHeard
    this.#listening?.verify()
    if (wasHeard) this.#wakeAll()
  }

  /** Registers a callback for the notifications of a topic. */
  on(topic: string, wake: () => void): void {
    this.#workers.set(topic, wake)
  }

  /** Wakes the worker of a topic without a notification. */
  wake(topic: string): void {
    this.#workers.get(topic)?.()
  }

  start(): void {
    this.#listening = this.#database.listen(channel, {
      onNotify: (topic) => this.wake(topic),
      onHeard: () => this.#wakeAll(),
      onLost: () => this.#wakeAll(),
    })
  }

  async stop(): Promise<void> {
    await this.#listening?.stop()
  }

  /** Workers that wake choose the interval of their polls again. */
  #wakeAll(): void {
    for (const wake of this.#workers.values()) wake()
  }
}
