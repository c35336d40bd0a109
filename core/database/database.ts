// The connections to PostgreSQL. Reads of the hot path share a few pipelined connections; what proves slow, and every
// transaction, takes a connection of the pool for itself, so that it holds up nobody.

import pg from 'pg'
import { unlessAborted } from '../aborting.ts'
import { Wrapping } from '../wrapping.ts'
import { type AnswerCall, AnsweringClient } from './answering-client.ts'
import { Cancelling, isCancelled } from './cancelling.ts'
import { ClientTransaction } from './client-transaction.ts'
import { connectionConfig } from './connection-config.ts'
import { DatabaseClient } from './database-client.ts'
import { connectionError, isOutdated, originOf, translatePostgresError } from './postgres-errors.ts'
import { PreparedNames, type PreparedStatement } from './prepared-statement.ts'
import { Interrupted, type SharedConnection } from './shared-connection.ts'
import { SharedConnections } from './shared-connections.ts'
import type { OwnTransaction, Row } from './transaction.ts'
import { settingsStatement, type TransactionSettings } from './transaction-settings.ts'
import { WriteRouting } from './write-routing.ts'

export type Isolation = 'read-committed' | 'repeatable-read' | 'serializable'

export interface DatabaseOptions {
  /** A connection URL. */
  readonly url: string
  /** At most this many pooled connections. */
  readonly connections: number
  /** Seconds after which an idle pooled connection is closed. */
  readonly idleTimeout: number
  /** Seconds that a connection may live; null: for ever. */
  readonly lifetime: number | null
  /** Off for proxies that pool transactions. */
  readonly preparedStatements: boolean
  readonly isolation: Isolation
  /** Told of connections that break while idle. */
  readonly onConnectionError: (error: Error) => void
  /** Put around statements; absent: nothing. */
  readonly wrapping?: Pick<Wrapping, 'statement'>
}

export interface TransactionOptions {
  /** Absent: the configured one. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /** Settings of PostgreSQL for this transaction. */
  readonly settings?: TransactionSettings
  /** Cancels what runs when it aborts, and has the transaction rolled back with the reason as its error. */
  readonly signal?: AbortSignal | null
}

export interface ChangeOptions extends Pick<TransactionOptions, 'settings' | 'signal'> {
  /** Whether the request bounds how many rows are changed: such statements are mostly short, and can share a connection. */
  readonly isBounded: boolean
}

/** How many connections there are now, and what they do. */
export interface ConnectionCounts {
  /** Of the pool: open, among them idle, and requests that wait for one. */
  readonly pooled: number
  readonly idle: number
  readonly waiting: number
  /** Connections that requests share, and statements that were sent on them and not answered. */
  readonly shared: number
  readonly pending: number
}

/** What reads share. */
const readers = 3

/** The fastest reads use two of them: fewer queues mean more sent and read at once. */
const readersForFast = 2
const fastMillis = 2
const slowMillis = 20

/** What writes share. */
const writers = 3

/** Milliseconds that a write may have to wait for those before it; beyond that it takes a connection of its own. */
const longestQueue = 20

/** Milliseconds that a write may take, mostly because of a lock, where others wait behind it; then it goes on its own. */
const patience = 20

/** Whether an error means that the connection is gone, rather than that a statement failed. */
function isBroken(error: unknown): boolean {
  const origin = originOf(error)
  return !(origin instanceof pg.DatabaseError) || origin.severity === 'FATAL'
}

/** What is sent up to one Sync. */
type Call = Omit<AnswerCall, 'preparing'>

type PooledClient = pg.PoolClient & AnsweringClient

export class Database {
  readonly #options: DatabaseOptions
  readonly #wrapping: Pick<Wrapping, 'statement'>
  readonly #pool: pg.Pool
  readonly #readers: SharedConnections
  readonly #writers: SharedConnections
  readonly #writeRouting = new WriteRouting()
  readonly #prepared = new WeakMap<pg.PoolClient, PreparedNames>()
  #serverVersion = 0
  /** Whether transactions that nobody begins are those that are wanted. */
  #beginsByItself = false

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#wrapping = options.wrapping ?? new Wrapping()
    const { url, lifetime, onConnectionError: onError } = options
    this.#readers = new SharedConnections({ url, lifetime, onError, patience: null })
    this.#writers = new SharedConnections({ url, lifetime, onError, patience })
    // A pool limits by it how long one waits for a connection, however busy all are.
    const { connectionTimeoutMillis: _, ...config } = connectionConfig(url)
    this.#pool = new pg.Pool({
      ...config,
      max: options.connections,
      idleTimeoutMillis: options.idleTimeout * 1000,
      maxLifetimeSeconds: lifetime ?? 0,
      pipeline: true,
      Client: AnsweringClient,
    } as pg.PoolConfig)
    this.#pool.on('error', onError)
    // The pool listens to idle connections only, and an error that nobody listens to ends the process. One that is in use
    // tells its loss to whatever runs on it.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Connects once, to learn what server it is. */
  async open(): Promise<void> {
    const [row] = await this.rows<{ version: string; isolation: string; read_only: string }>(
      `select current_setting('server_version_num') as version, current_setting('default_transaction_isolation') as isolation,
        current_setting('default_transaction_read_only') as read_only`,
    )
    const { version, isolation, read_only } = row!
    this.#serverVersion = Math.floor(Number(version) / 10_000)
    const { preparedStatements, isolation: wanted } = this.#options
    this.#beginsByItself = preparedStatements && isolation === wanted.replace('-', ' ') && read_only === 'off'
  }

  /** Major version of the server; 0 before {@link open}. */
  get serverVersion(): number {
    return this.#serverVersion
  }

  get connections(): ConnectionCounts {
    const { totalCount: pooled, idleCount: idle, waitingCount: waiting } = this.#pool
    const shared = this.#readers.open + this.#writers.open
    return { pooled, idle, waiting, shared, pending: this.#readers.pending + this.#writers.pending }
  }

  /**
   * Runs a statement outside a transaction; the bytes of its first row's first column, null when there is none. When the
   * signal aborts, its reason is the error at once, and the statement is cancelled.
   */
  answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    signal: AbortSignal | null = null,
  ): Promise<Buffer | null> {
    const around = this.#wrapping.statement
    if (!around) return unlessAborted(signal, this.#answer(statement, values, signal))
    const work = { kind: 'query', digest: statement.name } as const
    return around(work, () => unlessAborted(signal, this.#answer(statement, values, signal)))
  }

  /**
   * Runs one statement that writes, in a transaction of its own with these settings; the bytes of its first row's first
   * column. When the signal aborts the statement is cancelled, and the reason is the error unless it was done before.
   */
  change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ChangeOptions,
  ): Promise<Buffer | null> {
    if (!this.#beginsByItself) return this.transaction((own) => own.lastBytes(statement, values), options)
    const around = this.#wrapping.statement
    if (!around) return this.#change(statement, values, options)
    const work = { kind: 'transaction', digest: statement.name } as const
    return around(work, () => this.#change(statement, values, options))
  }

  /** Runs text with values outside a transaction and returns the rows, for what is not on the hot path. */
  rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const run = () => this.#rows<R>(text, values)
    const around = this.#wrapping.statement
    return around ? around({ kind: 'other', digest: null }, run) : run()
  }

  /**
   * Runs `work` in a transaction: committed when it returns, rolled back when it throws. When a prepared statement proves
   * outdated, all of it is run once more.
   */
  async transaction<T>(
    work: (transaction: OwnTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#unlessOutdated((preparing) => this.#transact(work, options, preparing))
  }

  async #transact<T>(
    work: (transaction: OwnTransaction) => Promise<T>,
    options: TransactionOptions,
    preparing: boolean,
  ): Promise<T> {
    const { isolation = this.#options.isolation, readOnly = false, settings = {}, signal = null } = options
    const client = await this.#connect(signal)
    const names = this.#namesOf(client)
    const begin = `BEGIN TRANSACTION ISOLATION LEVEL ${isolation.replace('-', ' ').toUpperCase()} ${readOnly ? 'READ ONLY' : 'READ WRITE'}`
    const cancelling = signal && new Cancelling(signal, client)
    let broken: Error | undefined
    try {
      const around = this.#wrapping.statement
      const transaction = new ClientTransaction({ client, names, preparing, begin, settings, signal, around })
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      await cancelling?.settle()
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      if (isOutdated(error)) broken = error as Error
      throw signal?.aborted && isCancelled(error) ? signal.reason : error
    } finally {
      await cancelling?.settle()
      client.release(broken ?? names.isFull)
    }
  }

  /** Calls `onNotify` for each notification until `stop`; `onLost` when the connection ends otherwise. */
  async listen(
    channel: string,
    onNotify: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<{ stop(): Promise<void> }> {
    const client = new DatabaseClient(connectionConfig(this.#options.url))
    let stopped = false
    client.on('notification', (message) => onNotify(message.payload ?? ''))
    client.on('error', (error) => {
      if (!stopped) onLost(error)
      stopped = true
    })
    client.on('end', () => {
      if (!stopped) onLost(new Error('connection ended'))
      stopped = true
    })
    await client.connect()
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
    return {
      stop: async () => {
        stopped = true
        await client.end().catch(() => {})
      },
    }
  }

  /** Rejects unless the database answers. */
  async ping(): Promise<void> {
    await this.rows('select 1')
  }

  async close(): Promise<void> {
    await Promise.all([this.#readers.close(), this.#writers.close(), this.#pool.end()])
  }

  async #rows<R extends Row>(text: string, values: readonly unknown[]): Promise<R[]> {
    try {
      return (await this.#pool.query(text, values as unknown[])).rows
    } catch (error) {
      throw translatePostgresError(error, text, values)
    }
  }

  #answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    signal: AbortSignal | null,
  ): Promise<Buffer | null> {
    return this.#run(this.#readerFor(statement), { statement, values }, signal)
  }

  async #change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    { settings = {}, signal = null, isBounded }: ChangeOptions,
  ): Promise<Buffer | null> {
    const preface = Object.keys(settings).length > 0 ? settingsStatement(settings) : null
    // What has not run yet takes a connection of its own: it may prove slow.
    const mayShare = isBounded && statement.isRepeated && statement.meanMillis < slowMillis
    const route = mayShare ? this.#writeRouting.begin() : null
    try {
      const shared = route === 'shared' ? this.#writers.free(writers, longestQueue) : null
      return await this.#run(shared, { statement, values, preface }, signal)
    } catch (error) {
      throw signal?.aborted && isCancelled(error) ? signal.reason : error
    } finally {
      if (route) this.#writeRouting.end()
    }
  }

  /** Runs what is sent up to one Sync; on the pool when no connection is given, or when it has to be run once more. */
  async #run(shared: SharedConnection | null, call: Call, signal: AbortSignal | null): Promise<Buffer | null> {
    signal?.throwIfAborted()
    if (shared) {
      try {
        return await shared.run(call, signal)
      } catch (error) {
        if (!(error instanceof Interrupted)) throw translatePostgresError(error, call.statement.text, call.values)
      }
    }
    return this.#unlessOutdated((preparing) => this.#onPooled({ ...call, preparing }, signal))
  }

  /** Runs what may be prepared; when that proves outdated, once more without, on another connection. */
  async #unlessOutdated<T>(run: (preparing: boolean) => Promise<T>): Promise<T> {
    try {
      return await run(this.#options.preparedStatements)
    } catch (error) {
      if (isOutdated(error)) return run(false)
      throw error
    }
  }

  async #onPooled(call: AnswerCall, signal: AbortSignal | null): Promise<Buffer | null> {
    const { statement, values, preparing } = call
    const client = await this.#connect(signal)
    const names = this.#namesOf(client)
    names.add(statement, preparing)
    const cancelling = signal && new Cancelling(signal, client)
    const started = performance.now()
    let failure: Error | undefined
    try {
      return await client.answer(call)
    } catch (error) {
      if (isBroken(error) || isOutdated(error)) failure = error as Error
      throw translatePostgresError(error, statement.text, values)
    } finally {
      statement.took(performance.now() - started)
      await cancelling?.settle()
      client.release(failure ?? names.isFull)
    }
  }

  #namesOf(client: pg.PoolClient): PreparedNames {
    const names = this.#prepared.get(client) ?? new PreparedNames()
    this.#prepared.set(client, names)
    return names
  }

  /** A connection of the pool; a request that is given up while it waits for one does without. */
  async #connect(signal: AbortSignal | null = null): Promise<PooledClient> {
    signal?.throwIfAborted()
    const connecting = this.#pool.connect() as Promise<PooledClient>
    try {
      return await unlessAborted(signal, connecting)
    } catch (error) {
      if (!signal?.aborted) throw connectionError(error)
      connecting.then(
        (client) => client.release(),
        () => {},
      )
      throw signal.reason
    }
  }

  /** A shared connection for a read; null: it takes one of the pool. */
  #readerFor({ meanMillis }: PreparedStatement): SharedConnection | null {
    if (!this.#options.preparedStatements || meanMillis >= slowMillis) return null
    return this.#readers.free(meanMillis < fastMillis ? readersForFast : readers)
  }
}
