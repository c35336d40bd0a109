// A separate connection that can ask the database for its state while all others are busy.

import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../errors/thrown.ts'
import type { Row } from '../transaction.ts'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { closeClient } from '../wire/cancel-request.ts'
import { tooManyConnections } from '../wire/postgres-errors.ts'

export interface ProbeOptions {
  readonly connect: () => Promise<AnsweringClient>
  /** Timeout of an answer in milliseconds, connecting included; a connection that takes longer serves the next question. */
  readonly timeoutMillis: number
}

export class Probe {
  readonly #options: ProbeOptions
  #connecting: Promise<AnsweringClient> | null = null
  #isClosed = false

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  /** The rows of a short statement; rejects if the answer is late. */
  async rows<R extends Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const connecting = this.#connect()
    let isConnected = false
    let late: NodeJS.Timeout | undefined
    const lateness = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('the database does not answer')), this.#options.timeoutMillis)
    })
    try {
      const answer = connecting.then((client) => {
        isConnected = true
        return client.query<R>(text, values as unknown[])
      })
      answer.catch(() => {})
      return (await Promise.race([answer, lateness])).rows
    } catch (error) {
      // A connection still being opened is late, not lost: a new one would be as late.
      if (isConnected) this.#giveUp(connecting)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  /** Whether the database answers. */
  async answers(): Promise<boolean> {
    try {
      await this.rows('select 1')
      return true
    } catch (error) {
      return codeOf(error) === tooManyConnections
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const connecting = this.#connecting
    if (!connecting) return
    const inTime = sleep(this.#options.timeoutMillis, null, { ref: false })
    const client = await Promise.race([connecting.catch(() => null), inTime])
    if (client) await closeClient(client)
    else this.#giveUp(connecting)
  }

  #connect(): Promise<AnsweringClient> {
    if (this.#isClosed) return Promise.reject(new Error('the probe is closed'))
    if (this.#connecting) return this.#connecting
    const connecting = this.#options.connect()
    this.#connecting = connecting
    connecting.then(
      (client) => client.once('end', () => this.#giveUp(connecting)),
      () => this.#giveUp(connecting),
    )
    return connecting
  }

  /** Closes the connection, so that the next question opens another. */
  #giveUp(connecting: Promise<AnsweringClient>): void {
    if (this.#connecting === connecting) this.#connecting = null
    connecting.then(
      (client) => client.destroy(new Error('the probe has no answer')),
      () => {},
    )
  }
}
