// The transaction of a handler begins at its first request, so a handler without requests holds no connection of the pool.

import type { Session, SessionSettings } from '../../../sdk/index.ts'
import type { Database, Transaction } from '../../../sdk/sql.ts'

export interface HandlerTransactionOptions {
  readonly database: Pick<Database, 'transaction'>
  readonly session: Session
  /** The id of the client's request; null for asynchronous calls. */
  readonly requestId: string | null
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly signal: AbortSignal
}

/** Commit and rollback wait until it has begun. */
interface Begun {
  readonly transaction: Transaction
  commit(): Promise<void>
  rollback(reason: unknown): Promise<void>
}

export class HandlerTransaction {
  readonly #options: HandlerTransactionOptions
  #begun: Promise<Begun> | null = null
  #isOver = false

  constructor(options: HandlerTransactionOptions) {
    this.#options = options
  }

  /** Begins it, once. */
  async begin(): Promise<Transaction> {
    if (this.#isOver) throw new Error('the call is over: its handler has ended, or its time is up')
    this.#begun ??= this.#begin()
    return (await this.#begun).transaction
  }

  async commit(): Promise<void> {
    this.#isOver = true
    await (await this.#begun)?.commit()
  }

  /** Accepts any thrown value, even undefined. */
  async rollback(reason: unknown): Promise<void> {
    this.#isOver = true
    const begun = await this.#begun?.catch(() => null)
    await begun?.rollback(reason ?? new Error('the call has failed'))
  }

  #begin(): Promise<Begun> {
    const { database, session, requestId, sessionSettings, signal } = this.#options
    return new Promise((resolve, reject) => {
      const ending = Promise.withResolvers<void>()
      ending.promise.catch(() => {})
      const work = async (transaction: Transaction) => {
        // Reports a failed begin before anything relies on the transaction.
        await transaction.rows('select 1')
        resolve({
          transaction,
          async commit() {
            ending.resolve()
            await done
          },
          async rollback(reason) {
            ending.reject(reason)
            await done.catch(() => {})
          },
        })
        await ending.promise
      }
      const done = database.transaction(work, {
        settings: sessionSettings.of(session, requestId),
        signal,
        forReader: session.readOnly,
      })
      done.catch(reject)
    })
  }
}
