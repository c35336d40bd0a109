// The served database, for whoever asks it something; `PooledDatabase` says which connections that takes.

import type { Caller } from '../concurrency/shares.ts'
import type { DecodedCommit, Decoding } from './hearing/decoding.ts'
import type { Listening } from './hearing/listening.ts'
import type { PreparedStatement } from './sql/prepared-statement.ts'
import type { TransactionSettings } from './sql/transaction-settings.ts'
import type { OwnTransaction, Row } from './transaction.ts'

export type Isolation = 'read-committed' | 'repeatable-read' | 'serializable'

export interface TransactionOptions {
  /** Absent: the configured one. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /**
   * Whether the work does nothing but run statements: then it is run once more where one of them was prepared for types that are
   * gone. Absent: no.
   */
  readonly isRepeatable?: boolean
  /** Settings of PostgreSQL for this transaction. */
  readonly settings?: TransactionSettings
  /** Cancels what runs when it aborts, and has the transaction rolled back with the reason as its error. */
  readonly signal?: AbortSignal | null
  /**
   * When it began to wait for its turn (`performance.now()`); absent: now. While nobody gets a connection, it waits for one
   * no longer than if it had asked then.
   */
  readonly since?: number
  /** Who asks, and has a share of the connections; absent: the server itself. */
  readonly caller?: Caller | null
}

export type ChangeOptions = Pick<TransactionOptions, 'settings' | 'signal' | 'caller'>

/** Who reads, and what may end it before it has an answer. */
export interface ReadOptions {
  /** Its reason is the error. */
  readonly signal?: AbortSignal | null
  /** Asked for, when a read may take longer, what aborts as soon as nobody waits for the answer any more. */
  readonly whenUnwanted?: (() => AbortSignal) | null
  /** Who asks, and has a share of the connections; absent: the server itself. */
  readonly caller?: Caller | null
}

/** How many connections there are now, and what they do. */
export interface ConnectionCounts {
  /** Of the pool: open, among them idle, and requests that wait for one. */
  readonly pooled: number
  readonly idle: number
  readonly waiting: number
  /** Lanes, and statements that were sent on them and not answered. */
  readonly shared: number
  readonly pending: number
}

export interface Database {
  /** Major version of the server; 0 before it is connected. */
  readonly serverVersion: number
  readonly connections: ConnectionCounts
  /** Runs a read outside a transaction; the bytes of its first row's first column, null when there is none. */
  answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ReadOptions,
  ): Promise<Buffer | null>
  /** The same of one that answers many: the bytes of all columns of all rows. */
  answerMany(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ReadOptions,
  ): Promise<(Buffer | null)[][]>
  /**
   * Runs one statement that writes, in a transaction of its own with these settings; the bytes of its first row's first
   * column. When the signal aborts the statement is cancelled, and the reason is the error unless it was done before.
   */
  change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ChangeOptions,
  ): Promise<Buffer | null>
  /**
   * Runs one statement of the server's own, which may write, with these settings, which sees what is committed by then;
   * all columns of all rows as texts. Aborting is as with `change`.
   */
  texts(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ChangeOptions,
  ): Promise<(string | null)[][]>
  /** Runs text with values outside a transaction and returns the rows, for what is not on the hot path. */
  rows<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /**
   * Runs `work` in a transaction: committed when it returns, rolled back when it throws. When its first statement proves
   * not to be prepared any more, it is run once more.
   */
  transaction<T>(work: (transaction: OwnTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Calls `onNotify` for each notification until `stop`; `onLost` when the connection ends otherwise. */
  listen(channel: string, onNotify: (payload: string) => void, onLost: (error: Error) => void): Promise<Listening>
  /** Tells of each committed transaction which tables it changed, until `stop`; rejects where the server does not let it. */
  decode(onCommit: (commit: DecodedCommit) => void, onLost: (error: Error) => void): Promise<Decoding>
  /** Whether the database answers; known within a second, whatever else is at work. */
  answers(): Promise<boolean>
}

/** The database for those who may ask it but neither open nor close it. */
export const lend = (database: Database): Database => ({
  get serverVersion() {
    return database.serverVersion
  },
  get connections() {
    return database.connections
  },
  answer: (statement, values, options) => database.answer(statement, values, options),
  answerMany: (statement, values, options) => database.answerMany(statement, values, options),
  change: (statement, values, options) => database.change(statement, values, options),
  texts: (statement, values, options) => database.texts(statement, values, options),
  rows: (text, values) => database.rows(text, values),
  transaction: (work, options) => database.transaction(work, options),
  listen: (channel, onNotify, onLost) => database.listen(channel, onNotify, onLost),
  decode: (onCommit, onLost) => database.decode(onCommit, onLost),
  answers: () => database.answers(),
})
