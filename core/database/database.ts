// The served database as its callers see it; `PooledDatabase` decides which connection a statement gets.

import type { Caller } from '../concurrency/shares.ts'
import type { Decoding, DecodingListener } from './hearing/decoding.ts'
import type { ChannelListener, Listening } from './hearing/listening.ts'
import type { PreparedStatement } from './sql/prepared-statement.ts'
import type { TransactionSettings } from './sql/transaction-settings.ts'
import type { OwnTransaction, Row } from './transaction.ts'

export type Isolation = 'read-committed' | 'repeatable-read' | 'serializable'

export interface TransactionOptions {
  /** Absent: the configured one. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /** Whether the session may only read: the transaction is then read-only, and a refused write is the caller's error. */
  readonly forReader?: boolean | undefined
  /** Whether the work only runs statements, so it can run again if a prepared statement became invalid. Absent: no. */
  readonly isRepeatable?: boolean
  /** Settings of PostgreSQL for this transaction. */
  readonly settings?: TransactionSettings
  /** If it aborts, the running statement is cancelled and the transaction is rolled back; its reason is the error. */
  readonly signal?: AbortSignal | null
  /** When the caller began to wait (`performance.now()`); the pool timeout counts from then. Absent: now. */
  readonly since?: number
  /** The caller, which has a share of the connections; absent: the server itself. */
  readonly caller?: Caller | null
}

export type ChangeOptions = Pick<TransactionOptions, 'settings' | 'signal' | 'caller'>

/** The caller of a read, and the signals that may end it early. */
export interface ReadOptions {
  /** Its reason is the error. */
  readonly signal?: AbortSignal | null
  /** Called when a read may take longer; its signal aborts as soon as the answer is no longer wanted. */
  readonly whenUnwanted?: (() => AbortSignal) | null
  /** The caller, which has a share of the connections; absent: the server itself. */
  readonly caller?: Caller | null
  /** Whether it runs in a read-only transaction, so that no function that it calls can write. Absent: no. */
  readonly readOnly?: boolean | undefined
}

/** The options of a read with many rows. */
export interface ManyOptions extends ReadOptions {
  /** A statement without parameters that runs before the read, in the same round trip. */
  readonly before?: StatementBefore | null
}

/** A statement before another one; `onAnswer` gets the first column of its row. */
export interface StatementBefore {
  readonly statement: PreparedStatement
  onAnswer(answer: Buffer | null): void
}

/** How many connections are open and in use. */
export interface ConnectionCounts {
  /** Of the pool: open connections, idle ones among them, and requests that wait for one. */
  readonly pooled: number
  readonly idle: number
  readonly waiting: number
  /** Lanes, and statements in flight on them. */
  readonly shared: number
  readonly pending: number
}

/** The database that is served. Its methods throw the errors of PostgreSQL as errors of the API. */
export interface Database {
  /** Major version of the server; 0 before it is connected. */
  readonly serverVersion: number
  readonly connections: ConnectionCounts
  /** Runs a read outside a transaction and returns the bytes of the first row's first column, or null. */
  answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ReadOptions,
  ): Promise<Buffer | null>
  /** As `answer`, for a statement with many answers: returns the bytes of all columns of all rows. */
  answerMany(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ManyOptions,
  ): Promise<(Buffer | null)[][]>
  /**
   * Runs one statement that writes in its own transaction with these settings, and returns the bytes of the first row's
   * first column. If the signal aborts before the statement is done, it is cancelled and the reason is the error.
   */
  change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ChangeOptions,
  ): Promise<Buffer | null>
  /**
   * Runs one statement of the server itself with these settings; it may write, and sees everything committed so far.
   * Returns all columns of all rows as texts. Aborts as `change` does.
   */
  texts(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options?: ChangeOptions,
  ): Promise<(string | null)[][]>
  /** Runs text with values outside a transaction and returns the rows; not for the hot path. */
  rows<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /**
   * As `rows`, on a connection that no request takes, so it is answered although all others are busy. It may run twice: if
   * there is no answer within a second, it waits for another connection.
   */
  spareRows<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /**
   * Runs `work` in a transaction: committed when it returns, rolled back when it throws. If its first statement is no
   * longer prepared, it runs once more.
   */
  transaction<T>(work: (transaction: OwnTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Listens to the notifications of a channel until `stop`; a lost connection is replaced. */
  listen(channel: string, listener: ChannelListener): Listening
  /** Reports the tables and rows that each committed transaction changed, until `stop`; rejects if the server refuses. */
  decode(listener: DecodingListener): Promise<Decoding>
  /** Whether the database answers, within a second even when all other connections are busy. */
  answers(): Promise<boolean>
}

/** The database without `open` and `close`. */
export const withoutLifecycle = (database: Database): Database => ({
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
  spareRows: (text, values) => database.spareRows(text, values),
  transaction: (work, options) => database.transaction(work, options),
  listen: (channel, listener) => database.listen(channel, listener),
  decode: (listener) => database.decode(listener),
  answers: () => database.answers(),
})
