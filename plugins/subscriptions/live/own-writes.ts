// Writes through this server and other instances of it, told to all of them, so that none waits for the next interval.

import { randomUUID } from 'node:crypto'
import { type Database, prepare } from '../../../sdk/sql.ts'

export interface OwnWritesOptions {
  readonly database: Pick<Database, 'listen' | 'answer'>
  /** Told of each write of another instance. */
  onWrite(): void
}

const channel = 'trellis_writes'

/** Milliseconds between two notifications of this instance, and until connecting is tried again. */
const spacing = 100
const patience = 5000

const notify = prepare({ text: `select pg_catalog.pg_notify('${channel}', $1)::text`, params: [] })

export class OwnWrites {
  readonly #options: OwnWritesOptions
  readonly #instance = randomUUID()
  #listening: { stop(): Promise<void> } | null = null
  #isListening = false
  #retry: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #isDue = false
  #isStopped = false

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** Tells the others, at once or shortly. */
  tell(): void {
    if (this.#timer) {
      this.#isDue = true
      return
    }
    this.#isDue = false
    // A server that takes no changes, or none now: there is the interval.
    this.#options.database.answer(notify, [this.#instance]).catch(() => {})
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#isDue) this.tell()
    }, spacing)
    this.#timer.unref()
  }

  /** Hears the others from now on. */
  listen(): void {
    if (this.#isListening || this.#isStopped) return
    this.#isListening = true
    let isLost = false
    const again = () => {
      // A failed attempt is told twice: by the rejection and by the end of the connection.
      if (isLost || this.#isStopped) return
      isLost = true
      this.#listening = null
      this.#isListening = false
      this.#retry = setTimeout(() => this.listen(), patience)
      this.#retry.unref()
      // What was told meanwhile was not heard.
      this.#options.onWrite()
    }
    const hear = (instance: string) => {
      if (instance !== this.#instance) this.#options.onWrite()
    }
    this.#options.database
      .listen(channel, hear, again)
      .then(async (listening) => {
        if (this.#isStopped) await listening.stop()
        else this.#listening = listening
      })
      .catch(again)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#retry) clearTimeout(this.#retry)
    await this.#listening?.stop()
  }
}
