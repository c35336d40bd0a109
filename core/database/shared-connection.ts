// One pipelined connection that many requests share: queries are sent without waiting for the answers of those before.

import pg from 'pg'
import { AnswerQuery, receiveRawRows, WriteBatch } from './answer-query.ts'
import { PreparedNames, type PreparedStatement } from './prepared-statement.ts'

/** Milliseconds before a shared connection that broke is opened again. */
const reopenMillis = 250

export class SharedConnection {
  readonly #client: pg.Client
  readonly #writes: WriteBatch
  readonly #names = new PreparedNames()
  #pending = 0
  #isReady = false
  #brokenAt: number | null = null
  #busySince = 0

  constructor(url: string, onError: (error: Error) => void) {
    this.#client = new pg.Client({ connectionString: url, pipeline: true, keepAlive: true } as pg.ClientConfig)
    receiveRawRows(this.#client)
    this.#writes = new WriteBatch(this.#client)
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

  /** The bytes of the first row's first column; null when there is none. Rejects with what `pg` says. */
  run(statement: PreparedStatement, values: readonly (string | null)[], preparing: boolean): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const query = new AnswerQuery(statement, values, preparing, (error, first) => {
        this.#ended()
        if (error) reject(error)
        else resolve(first)
      })
      this.#names.add(query)
      if (this.#names.isFull) this.#giveUp()
      if (this.#pending++ === 0) this.#busySince = performance.now()
      this.#writes.open()
      this.#client.query(query as unknown as pg.Submittable)
    })
  }

  #ended(): void {
    this.#pending--
    this.#busySince = performance.now()
    if (!this.#isReady && this.#pending === 0) void this.close()
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => {})
  }

  /** Takes no more queries; what was sent is still answered. */
  #giveUp(): void {
    this.#isReady = false
    this.#brokenAt ??= performance.now()
  }
}
