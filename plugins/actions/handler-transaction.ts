// The one transaction of a handler, which begins when it is first used: a handler that asks the database nothing holds no
// connection of the pool.

import type { Session, SessionSettings } from '../../sdk/index.ts'
import type { Database, Transaction } from '../../sdk/sql.ts'

export interface HandlerTransactionOptions {
  readonly database: Pick<Database, 'transaction'>
  readonly session: Session
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly signal: AbortSignal
}

interface Begun {
  readonly transaction: Transaction
  /** Commits, or rolls back when there is an error, and waits until it is done. */
  end(error?: unknown): Promise<void>
}

export class HandlerTransaction {
  readonly #options: HandlerTransactionOptions
  #begun: Promise<Begun> | null = null
  #isOver = false

  constructor(options: HandlerTransactionOptions) {
    this.#options = options
  }

  /** Begins it, unless it has begun. */
  async begin(): Promise<Transaction> {
    if (this.#isOver) throw new Error('the call is over: its handler has ended, or its time is up')
    this.#begun ??= this.#begin()
    return (await this.#begun).transaction
  }

  async commit(): Promise<void> {
    this.#isOver = true
    await (await this.#begun)?.end()
  }

  async rollback(error: unknown): Promise<void> {
    this.#isOver = true
    const begun = await this.#begun?.catch(() => null)
    await begun?.end(error)
  }

  #begin(): Promise<Begun> {
    const { database, session, sessionSettings, signal } = this.#options
    return new Promise((resolve, reject) => {
      const ending = Promise.withResolvers<void>()
      ending.promise.catch(() => {})
      const work = async (transaction: Transaction) => {
        // Tells whether it has begun, before anybody relies on it.
        await transaction.rows('select 1')
        const end = async (error?: unknown) => {
          if (error === undefined) ending.resolve()
          else ending.reject(error)
          await done.catch((failure) => {
            if (failure !== error && error === undefined) throw failure
          })
        }
        resolve({ transaction, end })
        await ending.promise
      }
      const done = database.transaction(work, { settings: sessionSettings.of(session), signal })
      done.catch(reject)
    })
  }
}
