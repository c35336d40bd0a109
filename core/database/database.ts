// The connections to PostgreSQL. Reads of the hot path share a few pipelined connections; what proves slow, and every
// transaction, takes a connection of the pool for itself, so that it holds up nobody.

import pg from 'pg'
import { unlessAborted } from '../aborting.ts'
import { Wrapping } from '../wrapping.ts'
import { type AnswerCall, AnsweringClient } from './answering-client.ts'
import { Cancelling, isCancelled } from './cancelling.ts'
import { ClientTransaction } from './client-transaction.ts'
import { connectionError, isOutdated, originOf, translatePostgresError } from './postgres-errors.ts'
import { PreparedNames, type PreparedStatement } from './prepared-statement.ts'
import { Interrupted, SharedConnection } from './shared-connection.ts'
import type { OwnTransaction, Row } from './transaction.ts'
import { settingsStatement, type TransactionSettings } from './transaction-settings.ts'

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

const sharedConnections = 3

/** The fastest statements use two of them: fewer queues mean more sent and read at once. */
const connectionsForFast = 2
const fastMillis = 2
const slowMillis = 20

/** Whether an error means that the connection is gone, rather than that a statement failed. */
function isBroken(error: unknown): boolean {
  const origin = originOf(error)
  return !(origin instanceof pg.DatabaseError) || origin.severity === 'FATAL'
}

type PooledClient = pg.PoolClient & AnsweringClient

export class Database {
  readonly #options: DatabaseOptions
  readonly #wrapping: Pick<Wrapping, 'statement'>
  readonly #pool: pg.Pool
  readonly #shared: (SharedConnection | null)[] = []
  readonly #prepared = new WeakMap<pg.PoolClient, PreparedNames>()
  #closed = false
  #serverVersion = 0
  /** Whether transactions that nobody begins are those that are wanted. */
  #beginsByItself = false

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#wrapping = options.wrapping ?? new Wrapping()
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connections,
      idleTimeoutMillis: options.idleTimeout * 1000,
      maxLifetimeSeconds: options.lifetime ?? 0,
      pipeline: true,
      Client: AnsweringClient,
    } as pg.PoolConfig)
    this.#pool.on('error', options.onConnectionError)
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
    const open = this.#shared.filter((connection) => connection?.isReady)
    const pending = open.reduce((sum, connection) => sum + connection!.pending, 0)
    return { pooled, idle, waiting, shared: open.length, pending }
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
  async change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: Pick<TransactionOptions, 'settings' | 'signal'>,
  ): Promise<Buffer | null> {
    const { settings = {}, signal = null } = options
    if (!this.#beginsByItself) return this.transaction((own) => own.lastBytes(statement, values), options)
    const run = async () => {
      try {
        return await this.#onPool(statement, values, signal, settings)
      } catch (error) {
        throw signal?.aborted && isCancelled(error) ? signal.reason : error
      }
    }
    const around = this.#wrapping.statement
    return around ? around({ kind: 'transaction', digest: statement.name }, run) : run()
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
    const client = new pg.Client({ connectionString: this.#options.url, keepAlive: true })
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
    this.#closed = true
    await Promise.all([...this.#shared.map((connection) => connection?.close()), this.#pool.end()])
  }

  async #rows<R extends Row>(text: string, values: readonly unknown[]): Promise<R[]> {
    try {
      return (await this.#pool.query(text, values as unknown[])).rows
    } catch (error) {
      throw translatePostgresError(error, text, values)
    }
  }

  async #answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    signal: AbortSignal | null,
  ): Promise<Buffer | null> {
    signal?.throwIfAborted()
    const { meanMillis } = statement
    const among = meanMillis < fastMillis ? connectionsForFast : sharedConnections
    const shared = meanMillis < slowMillis ? this.#freeShared(among) : null
    if (!shared) return this.#onPool(statement, values, signal)
    try {
      return await shared.run(statement, values, this.#options.preparedStatements, signal)
    } catch (error) {
      if (error instanceof Interrupted) return this.#onPool(statement, values, signal)
      throw translatePostgresError(error, statement.text, values)
    }
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

  #onPool(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    signal: AbortSignal | null,
    settings: TransactionSettings = {},
  ): Promise<Buffer | null> {
    return this.#unlessOutdated((preparing) => this.#onPooled({ statement, values, preparing }, signal, settings))
  }

  async #onPooled(
    call: Omit<AnswerCall, 'preface'>,
    signal: AbortSignal | null,
    settings: TransactionSettings,
  ): Promise<Buffer | null> {
    const { statement, values, preparing } = call
    const client = await this.#connect(signal)
    const names = this.#namesOf(client)
    names.add(statement, preparing)
    const preface = Object.keys(settings).length > 0 ? settingsStatement(settings) : null
    if (preface) client.prepareOnce(preface.name, preface.text)
    const cancelling = signal && new Cancelling(signal, client)
    const started = performance.now()
    let failure: Error | undefined
    try {
      return await client.answer({ ...call, preface })
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

  /** The shared connection with the shortest queue; null when none is to be had: then the pool serves. */
  #freeShared(among: number): SharedConnection | null {
    if (this.#closed || !this.#options.preparedStatements) return null
    let best: SharedConnection | null = null
    for (let i = 0; i < among; i++) {
      let connection = this.#shared[i]
      if (!connection || connection.mayReopen) {
        connection = new SharedConnection(this.#options.url, this.#options.onConnectionError)
        this.#shared[i] = connection
      }
      if (!connection.isReady || connection.busyMillis > slowMillis) continue
      if (!best || connection.pending < best.pending) best = connection
    }
    return best
  }
}
