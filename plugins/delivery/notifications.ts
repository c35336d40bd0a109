// Listens for notifications that something is due: one database connection for all workers of the instance.
//
// An open connection may receive nothing: a pooling proxy may give it to other clients, or a network may drop it silently. So
// notifications count as working only once one arrived. An echo tests that at the start and after a missed notification.

import type { Database } from '../../sdk/sql.ts'
import { reconnectMillis } from './tuning.ts'

/** The channel of the notifications; the payload is the topic. */
const channel = 'trellis_delivery'

/** Notifies that something of a topic, $1, is due. */
export const notifyStatement = `select pg_catalog.pg_notify('${channel}', $1)`

/** The topic of the test notification. */
const echo = 'echo'

type Listening = Awaited<ReturnType<Database['listen']>>

export class Notifications {
  readonly #database: Pick<Database, 'listen' | 'rows'>
  readonly #workers = new Map<string, () => void>()
  #listening: Listening | null = null
  #connecting: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #isHeard = false

  /** Whether notifications arrive. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /** Tests the connection after a missed notification; until the echo arrives, notifications count as lost. */
  verify(): void {
    if (!this.#listening || this.#stopped) return
    const wasHeard = this.#isHeard
    this.#isHeard = false
    // Workers that wake now poll at the shorter interval.
    if (wasHeard) for (const wake of this.#workers.values()) wake()
    this.#database.rows(notifyStatement, [echo]).catch(() => {})
  }

  constructor(database: Pick<Database, 'listen' | 'rows'>) {
    this.#database = database
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
    this.#connecting = this.#connect()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#connecting
    await this.#listening?.stop()
  }

  async #connect(): Promise<void> {
    const notified = (topic: string) => {
      this.#isHeard = true
      this.wake(topic)
    }
    try {
      this.#listening = await this.#database.listen(channel, notified, () => this.#again())
      for (const wake of this.#workers.values()) wake()
      this.verify()
    } catch {
      this.#again()
    }
  }

  #again(): void {
    this.#listening = null
    this.#isHeard = false
    if (this.#stopped) return
    // Workers that wake now poll at the shorter interval.
    for (const wake of this.#workers.values()) wake()
    this.#timer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, reconnectMillis).unref()
  }
}
