// One pipelined connection that many requests share: queries are sent without waiting for the answers of those before,
// and what is sent in one turn of the event loop goes out in one system call.

import type pg from 'pg'
import { onAbort } from '../aborting.ts'
import { type AnswerCall, AnsweringClient } from './answering-client.ts'
import { cancelUntil, isCancelled } from './cancelling.ts'
import { connectionConfig } from './connection-config.ts'
import { isOutdated } from './postgres-errors.ts'
import { PreparedNames } from './prepared-statement.ts'

/** Milliseconds before a shared connection that broke is opened again. */
const reopenMillis = 250

export interface SharedConnectionOptions {
  /** A connection URL. */
  readonly url: string
  /**
   * Milliseconds that a statement may take while others wait behind it; null: as long as it likes. It is cancelled then, and
   * not by `lock_timeout`, whose error a trigger may catch: with its work undone the statement would go on.
   */
  readonly patience: number | null
  readonly onError: (error: Error) => void
}

/**
 * A statement fell to the cancelling of its neighbour, to what its connection remembers, or because others would have had to
 * wait for too long. It has changed nothing and can be run elsewhere.
 */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export class SharedConnection {
  readonly #client: AnsweringClient
  readonly #patience: number | null
  #watch: NodeJS.Timeout | null = null
  readonly #openedAt = performance.now()
  readonly #names = new PreparedNames()
  /** Queries are numbered in the order in which they are sent and answered. */
  #sent = 0
  #answered = 0
  /** Numbers of queries that nobody waits for any more here. */
  readonly #abandoned = new Set<number>()
  #isCancelling = false
  #cancelsAsked = 0
  #cancelsDone = 0
  #isReady = false
  /** Whether what is sent waits for the end of the turn. */
  #isHeld = false
  #brokenAt: number | null = null
  /** When the query at the head was sent, or the one before it answered. */
  #busySince = 0
  /** Running mean of what a query takes once its turn has come. */
  #meanMillis = 0

  constructor({ url, patience, onError }: SharedConnectionOptions) {
    this.#patience = patience
    const config = { ...connectionConfig(url), pipeline: true }
    this.#client = new AnsweringClient(config as pg.ClientConfig)
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
    return this.#sent - this.#answered
  }

  /** Whether it takes queries. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether it broke, or was given up, long enough ago to be replaced. */
  get mayReopen(): boolean {
    return this.#brokenAt !== null && performance.now() - this.#brokenAt > reopenMillis
  }

  /** Milliseconds since it was made. */
  get ageMillis(): number {
    return performance.now() - this.#openedAt
  }

  /** Milliseconds that all queries that were sent and not answered are likely to take. */
  get queueMillis(): number {
    return this.pending * this.#meanMillis
  }

  /** Milliseconds that the query at the head has been running; 0 when there is none. */
  get busyMillis(): number {
    return this.pending > 0 ? performance.now() - this.#busySince : 0
  }

  /**
   * Runs a statement; the time in the queue does not count as the statement's. When the signal aborts, the statement is
   * cancelled as soon as its turn has come. Rejects with {@link Interrupted} when the statement has to be run elsewhere.
   */
  async run(call: Omit<AnswerCall, 'preparing'>, signal: AbortSignal | null): Promise<Buffer | null> {
    const { statement } = call
    this.#names.add(statement, true)
    if (this.#names.isFull) this.#giveUp()
    if (this.pending === 0) this.#busySince = performance.now()
    const number = this.#sent++
    const cancelsBefore = this.#cancelsDone
    const stopWatching = signal && onAbort(signal, () => this.#abandon(number))
    this.#hold()
    this.#watchHead()
    try {
      return await this.#client.answer({ ...call, preparing: true })
    } catch (error) {
      // PostgreSQL has closed it, though the end has not been read yet.
      if ((error as { readonly severity?: string }).severity === 'FATAL') this.#giveUp()
      if (isOutdated(error)) {
        this.#giveUp()
        throw new Interrupted('the statement was prepared with a type that is gone', { cause: error })
      }
      const mayBeHit = this.#cancelsAsked > cancelsBefore && !signal?.aborted
      throw mayBeHit && isCancelled(error) ? new Interrupted('cancelled, it or its neighbour', { cause: error }) : error
    } finally {
      stopWatching?.()
      const now = performance.now()
      const took = now - this.#busySince
      statement.took(took)
      this.#meanMillis += (took - this.#meanMillis) / 16
      this.#busySince = now
      this.#answered++
      if (this.#abandoned.size > 0) this.#forget(number)
      if (!this.#isReady && this.pending === 0) void this.close()
    }
  }

  /** Takes no more queries, and closes when those that were sent are answered. */
  retire(): void {
    this.#giveUp()
    if (this.pending === 0) void this.close()
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => {})
  }

  /** Looks now and then, while there is something to look at, whether the head takes too long for those behind it. */
  #watchHead(): void {
    const patience = this.#patience
    if (patience === null || this.#watch) return
    const look = () => {
      this.#watch = null
      if (this.pending === 0) return
      if (this.pending > 1 && this.busyMillis >= patience) this.#abandon(this.#answered)
      this.#watchHead()
    }
    // When the event loop stood still answers may be waiting to be read, which comes first.
    this.#watch = setTimeout(() => setImmediate(look), patience / 2).unref()
  }

  #abandon(number: number): void {
    this.#abandoned.add(number)
    if (!this.#isCancelling) void this.#cancelAbandoned()
  }

  #forget(number: number): void {
    this.#abandoned.delete(number)
    if (this.#abandoned.has(this.#answered) && !this.#isCancelling) void this.#cancelAbandoned()
  }

  /** Cancels the query that is running as long as nobody waits for it: of those behind it none can be taken back. */
  async #cancelAbandoned(): Promise<void> {
    this.#isCancelling = true
    while (this.#abandoned.has(this.#answered)) {
      const head = this.#answered
      await cancelUntil(() => this.#answered !== head, { cancelRunning: () => this.#cancelRunning() })
    }
    this.#isCancelling = false
  }

  async #cancelRunning(): Promise<void> {
    this.#cancelsAsked++
    await this.#client.cancelRunning()
    this.#cancelsDone++
  }

  /** What is sent from now on is written at the end of the turn. */
  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#client.hold()
    setImmediate(() => {
      this.#isHeld = false
      this.#client.flush()
    })
  }

  /** Takes no more queries; what was sent is still answered. */
  #giveUp(): void {
    this.#isReady = false
    this.#brokenAt ??= performance.now()
  }
}
