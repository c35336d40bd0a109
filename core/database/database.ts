// The connections to PostgreSQL. Reads of the hot path share a few pipelined connections; what proves slow, and every
// transaction, takes a connection of the pool for itself, so that it holds up nobody.

import pg from 'pg'
import { AnsweringClient } from './answering-client.ts'
import { ClientTransaction } from './client-transaction.ts'
import { connectionError, translatePostgresError } from './postgres-errors.ts'
import { PreparedNames, type PreparedStatement } from './prepared-statement.ts'
import { SharedConnection } from './shared-connection.ts'
import type { OwnTransaction, Row } from './transaction.ts'

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
}

export interface TransactionOptions {
  /** Absent: the configured one. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /** Settings of PostgreSQL for this transaction, by name. */
  readonly settings?: Readonly<Record<string, string>>
}

const sharedConnections = 3

/** The fastest statements use two of them: fewer queues mean more sent and read at once. */
const connectionsForFast = 2
const fastMillis = 2
const slowMillis = 20

/** Whether an error means that the connection is gone, rather than that a statement failed. */
const isBroken = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || error.severity === 'FATAL'

type PooledClient = pg.PoolClient & AnsweringClient

export class Database {
  readonly #options: DatabaseOptions
  readonly #pool: pg.Pool
  readonly #shared: (SharedConnection | null)[] = []
  readonly #prepared = new WeakMap<pg.PoolClient, PreparedNames>()
  #closed = false
  #serverVersion = 0

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connections,
      idleTimeoutMillis: options.idleTimeout * 1000,
      maxLifetimeSeconds: options.lifetime ?? 0,
      pipeline: true,
      Client: AnsweringClient,
    } as pg.PoolConfig)
    this.#pool.on('error', options.onConnectionError)
  }

  /** Connects once, to learn what server it is. */
  async open(): Promise<void> {
    const [row] = await this.rows<{ version: string }>(`select current_setting('server_version_num') as version`)
    this.#serverVersion = Math.floor(Number(row!.version) / 10_000)
  }

  /** Major version of the server; 0 before {@link open}. */
  get serverVersion(): number {
    return this.#serverVersion
  }

  /** Runs a statement outside a transaction; the bytes of its first row's first column, null when there is none. */
  async answer(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null> {
    const { meanMillis } = statement
    const among = meanMillis < fastMillis ? connectionsForFast : sharedConnections
    const shared = meanMillis < slowMillis ? this.#freeShared(among) : null
    try {
      if (shared) return await shared.run(statement, values, this.#options.preparedStatements)
      return await this.#onPool(statement, values)
    } catch (error) {
      throw translatePostgresError(error, statement.text, values)
    }
  }

  /** Runs text with values outside a transaction and returns the rows, for what is not on the hot path. */
  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#pool.query(text, values as unknown[])).rows
    } catch (error) {
      throw translatePostgresError(error, text, values)
    }
  }

  /** Runs `work` in a transaction: committed when it returns, rolled back when it throws. */
  async transaction<T>(
    work: (transaction: OwnTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const client = await this.#connect()
    const names = this.#namesOf(client)
    const { isolation = this.#options.isolation, readOnly = false, settings = {} } = options
    const begin = `BEGIN TRANSACTION ISOLATION LEVEL ${isolation.replace('-', ' ').toUpperCase()} ${readOnly ? 'READ ONLY' : 'READ WRITE'}`
    let broken: Error | undefined
    try {
      const preparing = this.#options.preparedStatements
      const transaction = new ClientTransaction({ client, names, preparing, begin, settings })
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
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

  async #onPool(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null> {
    const client = await this.#connect()
    const names = this.#namesOf(client)
    const { preparedStatements } = this.#options
    names.add(statement, preparedStatements)
    const started = performance.now()
    let failure: Error | undefined
    try {
      return await client.answer(statement, values, preparedStatements)
    } catch (error) {
      if (isBroken(error)) failure = error as Error
      throw error
    } finally {
      statement.took(performance.now() - started)
      client.release(failure ?? names.isFull)
    }
  }

  #namesOf(client: pg.PoolClient): PreparedNames {
    const names = this.#prepared.get(client) ?? new PreparedNames()
    this.#prepared.set(client, names)
    return names
  }

  async #connect(): Promise<PooledClient> {
    try {
      return (await this.#pool.connect()) as PooledClient
    } catch (error) {
      throw connectionError(error)
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
