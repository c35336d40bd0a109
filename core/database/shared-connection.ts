// One pipelined connection that many requests share: queries are sent without waiting for the answers of those before,
// and what is sent in one turn of the event loop goes out in one system call.

import type pg from 'pg'
import { AnsweringClient } from './answering-client.ts'
import { PreparedNames, type PreparedStatement } from './prepared-statement.ts'

/** Milliseconds before a shared connection that broke is opened again. */
const reopenMillis = 250

export class SharedConnection {
  readonly #client: AnsweringClient
  readonly #names = new PreparedNames()
  #pending = 0
  #isReady = false
  #isHolding = false
  #brokenAt: number | null = null
  /** When the query at the head was sent, or the one before it answered. */
  #busySince = 0

  constructor(url: string, onError: (error: Error) => void) {
    this.#client = new AnsweringClient({ connectionString: url, pipeline: true, keepAlive: true } as pg.ClientConfig)
    this.#client.on('error', (error) => {
      this.#giveUp()
      onError(error)
    })
    this.#client.on('end', () => this.#giveUp())
    this.#client.connect().then(
      () => {
        this.#isReady = this.#brokenAt === null
      },
      () => this.#giveUp(),
    )
  }

  /** Queries that were sent and not answered. */
  get pending(): number {
    return this.#pending
  }

  /** Whether it takes queries. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether it broke, or was given up, long enough ago to be replaced. */
  get mayReopen(): boolean {
    return this.#brokenAt !== null && performance.now() - this.#brokenAt > reopenMillis
  }

  /** Milliseconds that the query at the head has been running; 0 when there is none. */
  get busyMillis(): number {
    return this.#pending > 0 ? performance.now() - this.#busySince : 0
  }

  /** Runs a statement; the time in the queue does not count as the statement's. */
  async run(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    preparing: boolean,
  ): Promise<Buffer | null> {
    this.#names.add(statement, preparing)
    if (this.#names.isFull) this.#giveUp()
    if (this.#pending++ === 0) this.#busySince = performance.now()
    this.#hold()
    try {
      return await this.#client.answer(statement, values, preparing)
    } finally {
      const now = performance.now()
      statement.took(now - this.#busySince)
      this.#busySince = now
      this.#pending--
      if (!this.#isReady && this.#pending === 0) void this.close()
    }
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => {})
  }

  #hold(): void {
    if (this.#isHolding) return
    this.#isHolding = true
    this.#client.hold()
    setImmediate(() => {
      this.#isHolding = false
      this.#client.flush()
    })
  }

  /** Takes no more queries; what was sent is still answered. */
  #giveUp(): void {
    this.#isReady = false
    this.#brokenAt ??= performance.now()
  }
}
