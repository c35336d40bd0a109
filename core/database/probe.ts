// A connection apart from all others, on which the database can be asked how it is whatever the others do.

import { codeOf } from '../errors/thrown.ts'
import type { AnsweringClient } from './answering-client.ts'
import { closeClient } from './pool.ts'
import { tooManyConnections } from './postgres-errors.ts'
import type { Row } from './transaction.ts'

export interface ProbeOptions {
  readonly connect: () => Promise<AnsweringClient>
  /** Milliseconds that connecting and an answer may take together. */
  readonly patienceMillis: number
}

export class Probe {
  readonly #options: ProbeOptions
  #connecting: Promise<AnsweringClient> | null = null
  #isClosed = false

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  /** The rows of a short statement; rejects when there is no answer in time. */
  async rows<R extends Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const connecting = this.#connect()
    let late: NodeJS.Timeout | undefined
    const lateness = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('the database does not answer')), this.#options.patienceMillis)
    })
    try {
      const answer = connecting.then((client) => client.query<R>(text, values as unknown[]))
      answer.catch(() => {})
      return (await Promise.race([answer, lateness])).rows
    } catch (error) {
      this.#giveUp(connecting)
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
    const client = await this.#connecting?.catch(() => null)
    if (client) await closeClient(client)
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

  /** The next question gets another connection. */
  #giveUp(connecting: Promise<AnsweringClient>): void {
    if (this.#connecting === connecting) this.#connecting = null
    connecting.then(
      (client) => client.destroy(new Error('the probe has no answer')),
      () => {},
    )
  }
}
