// The connections to PostgreSQL. Reads of the hot path share a few pipelined connections; what proves slow, and every
// transaction, takes a connection of the pool for itself, so that it holds up nobody.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { connectionError, transactionError, translatePostgresError } from './postgres-errors.ts'
import type { Statement } from './sql.ts'
import type { Row, ScriptResult, Transaction } from './transaction.ts'

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

/** A statement that answers with ready JSON text in its first column. */
export interface PreparedStatement extends Statement {
  /** Name on the connection: a digest of the text, so equal texts share one prepared statement. */
  readonly name: string
  /** Running mean of its duration in milliseconds; slow ones leave the shared connections. */
  meanMillis: number
  /** How often it ran: what runs once is not worth a prepared statement. */
  runs: number
}

/** Makes a statement ready for {@link Database.answer}. */
export const prepare = (statement: Statement): PreparedStatement => ({
  ...statement,
  name: `t${createHash('sha1').update(statement.text).digest('base64url')}`,
  meanMillis: 0,
  runs: 0,
})

/** Rows as arrays of Buffers: with `binary`, the finished JSON arrives as the bytes that go to the client. */
const rawTypes = { getTypeParser: () => (value: unknown) => value }

const sharedConnections = 3
const slowMillis = 20

/** A connection with more prepared statements than this is replaced: the server keeps them for its whole life. */
const maxPrepared = 1000

/** Milliseconds before a shared connection that broke is opened again. */
const reopenMillis = 250

export class Database {
  readonly #options: DatabaseOptions
  readonly #pool: pg.Pool
  readonly #shared: (SharedConnection | null)[] = []
  readonly #prepared = new WeakMap<pg.PoolClient, Set<string>>()
  #closed = false
  #serverVersion = 0

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.connections,
      idleTimeoutMillis: options.idleTimeout * 1000,
      maxLifetimeSeconds: options.lifetime ?? 0,
    })
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
    const started = performance.now()
    const shared = statement.meanMillis < slowMillis ? this.#freeShared() : null
    const query = this.#answerQuery(statement, values)
    try {
      const { rows } = shared ? await shared.run(query) : await this.#onPool(query)
      const first = rows[0] as unknown as (Buffer | null)[] | undefined
      return first?.[0] ?? null
    } catch (error) {
      throw translatePostgresError(error, statement.text, values)
    } finally {
      statement.runs++
      statement.meanMillis += (performance.now() - started - statement.meanMillis) / 16
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
    work: (transaction: Transaction) => Promise<T>,
    options: { readonly isolation?: Isolation; readonly readOnly?: boolean } = {},
  ): Promise<T> {
    const client = await this.#connect()
    let broken: Error | undefined
    try {
      const isolation = (options.isolation ?? this.#options.isolation).replace('-', ' ').toUpperCase()
      const mode = options.readOnly ? 'READ ONLY' : 'READ WRITE'
      await client.query(`BEGIN TRANSACTION ISOLATION LEVEL ${isolation} ${mode}`).catch((error) => {
        throw transactionError(error)
      })
      const result = await work(new ClientTransaction(client))
      const { command } = await client.query('COMMIT').catch((error) => {
        throw transactionError(error)
      })
      // PostgreSQL answers so, without an error, when a statement had failed and `work` went on all the same.
      if (command !== 'COMMIT') throw transactionError(new Error('a statement of the transaction had failed'))
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
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

  #answerQuery(statement: PreparedStatement, values: readonly (string | null)[]) {
    const base = {
      text: statement.text,
      values: values as (string | null)[],
      rowMode: 'array' as const,
      types: rawTypes,
      binary: true,
    }
    const isNamed = this.#options.preparedStatements && statement.runs > 0
    return isNamed ? { ...base, name: statement.name } : base
  }

  async #onPool(query: AnswerQuery): Promise<pg.QueryArrayResult> {
    const client = await this.#connect()
    let failure: Error | undefined
    try {
      return await client.query(query)
    } catch (error) {
      if (isBroken(error)) failure = error as Error
      throw error
    } finally {
      client.release(failure ?? this.#isFull(client, query))
    }
  }

  /** Counts the statements prepared on a connection. */
  #isFull(client: pg.PoolClient, { name }: AnswerQuery): boolean {
    if (name === undefined) return false
    const names = this.#prepared.get(client) ?? new Set()
    this.#prepared.set(client, names)
    return names.add(name).size > maxPrepared
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw connectionError(error)
    }
  }

  /** The shared connection with the shortest queue; null when none is to be had: then the pool serves. */
  #freeShared(): SharedConnection | null {
    if (this.#closed || !this.#options.preparedStatements) return null
    let best: SharedConnection | null = null
    for (let i = 0; i < sharedConnections; i++) {
      let connection = this.#shared[i]
      if (!connection || connection.mayReopen) {
        connection = new SharedConnection(this.#options.url, this.#options.onConnectionError)
        this.#shared[i] = connection
      }
      if (!connection.ready || connection.stuck) continue
      if (!best || connection.pending < best.pending) best = connection
    }
    return best
  }
}

type AnswerQuery = pg.QueryArrayConfig & { readonly name?: string }

/** Whether an error means that the connection is gone, rather than that a statement failed. */
const isBroken = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || error.severity === 'FATAL'

/** One pipelined connection: queries are sent without waiting for the answers of those before. */
class SharedConnection {
  pending = 0
  #ready = false
  #brokenAt: number | null = null
  readonly #client: pg.Client
  readonly #names = new Set<string>()
  #busySince = 0

  constructor(url: string, onError: (error: Error) => void) {
    this.#client = new pg.Client({ connectionString: url, pipeline: true, keepAlive: true } as pg.ClientConfig)
    this.#client.on('error', (error) => {
      this.#break()
      onError(error)
    })
    this.#client.on('end', () => this.#break())
    this.#client.connect().then(
      () => {
        this.#ready = this.#brokenAt === null
      },
      () => this.#break(),
    )
  }

  #break(): void {
    this.#ready = false
    this.#brokenAt ??= performance.now()
  }

  /** Whether it takes queries. */
  get ready(): boolean {
    return this.#ready
  }

  /** Whether it broke, or was given up, long enough ago to be replaced. */
  get mayReopen(): boolean {
    return this.#brokenAt !== null && performance.now() - this.#brokenAt > reopenMillis
  }

  /** Whether the query at the head has been running so long that new ones had better go elsewhere. */
  get stuck(): boolean {
    return this.pending > 0 && performance.now() - this.#busySince > slowMillis
  }

  async run(query: AnswerQuery): Promise<pg.QueryArrayResult> {
    if (query.name !== undefined && this.#names.add(query.name).size > maxPrepared) this.#break()
    if (this.pending++ === 0) this.#busySince = performance.now()
    try {
      return await this.#client.query(query)
    } finally {
      this.pending--
      this.#busySince = performance.now()
      if (!this.#ready && this.pending === 0) void this.close()
    }
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => {})
  }
}

class ClientTransaction implements Transaction {
  readonly #client: pg.PoolClient

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.#client.query(text, values as unknown[])).rows
    } catch (error) {
      throw translatePostgresError(error, text, values)
    }
  }

  async bytes(statement: Statement, values: readonly (string | null)[]): Promise<Buffer | null> {
    try {
      const query = {
        text: statement.text,
        values: values as (string | null)[],
        rowMode: 'array' as const,
        types: rawTypes,
        binary: true,
      }
      const { rows } = await this.#client.query(query as pg.QueryArrayConfig)
      return ((rows[0] as unknown as (Buffer | null)[] | undefined)?.[0] ?? null) as Buffer | null
    } catch (error) {
      throw translatePostgresError(error, statement.text, values)
    }
  }

  async texts(statement: Statement, values: readonly (string | null)[]): Promise<(string | null)[][]> {
    try {
      const query = { text: statement.text, values: values as (string | null)[], rowMode: 'array' as const }
      return (await this.#client.query<(string | null)[]>(query)).rows
    } catch (error) {
      throw translatePostgresError(error, statement.text, values)
    }
  }

  async script(text: string): Promise<ScriptResult> {
    try {
      const results = await this.#client.query({
        text,
        rowMode: 'array',
        types: { getTypeParser: () => String },
      } as unknown as pg.QueryArrayConfig)
      const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryArrayResult | undefined
      const returnsRows = (last?.fields.length ?? 0) > 0
      return {
        command: last?.command ?? '',
        columns: returnsRows ? last!.fields.map(({ name }) => name) : null,
        rows: returnsRows ? (last!.rows as (string | null)[][]) : null,
      }
    } catch (error) {
      throw translatePostgresError(error, text, [])
    }
  }
}
