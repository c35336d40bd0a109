// Hears from the database that something is to be delivered, on one connection for all who wait for that.
//
// A connection that is there need not be one on which anything is heard: a proxy may hand it to others, a network may lose it in
// silence. So it counts as heard when something came on it, which is tried at the beginning and in doubt.

import type { Database } from '../../sdk/sql.ts'

/** The channel of the notifications; their payload is the topic. */
const wakeChannel = 'trellis_delivery'

/** Says that something of a topic, $1, is to be delivered. */
export const wakeStatement = `select pg_catalog.pg_notify('${wakeChannel}', $1)`

/** The topic of what is sent to hear whether anything comes. */
const echo = 'echo'

/** Milliseconds after which a lost connection is made anew; what is missed meanwhile is found by looking. */
const pauseMillis = 1000

type Listening = Awaited<ReturnType<Database['listen']>>

export class Wake {
  readonly #database: Pick<Database, 'listen' | 'rows'>
  readonly #sleepers = new Map<string, () => void>()
  #listening: Listening | null = null
  #connecting: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #isHeard = false

  /** Whether notifications come. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /** Told that something was not heard of; notifications count as lost until one comes. */
  doubt(): void {
    if (!this.#listening || this.#stopped) return
    const wasHeard = this.#isHeard
    this.#isHeard = false
    // They look more often meanwhile.
    if (wasHeard) for (const wake of this.#sleepers.values()) wake()
    this.#database.rows(wakeStatement, [echo]).catch(() => {})
  }

  constructor(database: Pick<Database, 'listen' | 'rows'>) {
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
    const notified = (topic: string) => {
      this.#isHeard = true
      this.call(topic)
    }
    try {
      this.#listening = await this.#database.listen(wakeChannel, notified, () => this.#again())
      for (const wake of this.#sleepers.values()) wake()
      this.doubt()
    } catch {
      this.#again()
    }
  }

  #again(): void {
    this.#listening = null
    this.#isHeard = false
    if (this.#stopped) return
    // They look more often meanwhile.
    for (const wake of this.#sleepers.values()) wake()
    this.#timer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, pauseMillis).unref()
  }
}
