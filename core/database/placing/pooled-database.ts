// Which connections to PostgreSQL there are, and which one a statement gets (README.md has the invariants):
//
// - A *lane* is shared and pipelined. It gets reads whose recent runs were all short and that call nothing volatile.
// - The *pool* gives a connection to one caller at a time: for reads of unknown or long duration, all writes, and
//   transactions. Each caller has a *share* of the pool. The *write limiter* keeps few writes running while CPU-bound.
// - The *probe* answers while all others are busy: for health checks, to find silently lost connections, and to cancel
//   statements.
// - `listen` has one connection for all channels, `decode` has its own.
//
// Sharing never makes another statement fail, wait long, lose durability, or write twice.

import { performance } from 'node:perf_hooks'
import { eitherSignal, unlessAborted } from '../../concurrency/aborting.ts'
import type { Shares } from '../../concurrency/shares.ts'
import type {
  ChangeOptions,
  ConnectionCounts,
  Database,
  ManyOptions,
  ReadOptions,
  TransactionOptions,
} from '../database.ts'
import { Decoder, type Decoding, type DecodingListener } from '../hearing/decoding.ts'
import { type ChannelListener, Listener, type Listening } from '../hearing/listening.ts'
import type { PreparedStatement } from '../sql/prepared-statement.ts'
import { StatementHistories } from '../sql/statement-history.ts'
import { readingOnly, settingsStatement } from '../sql/transaction-settings.ts'
import type { StatementHooks } from '../statement-work.ts'
import type { OwnTransaction, Row } from '../transaction.ts'
import { laneCount, probeTimeoutMillis, readOnlySweepMillis } from '../tuning.ts'
import type { AnswerCall } from '../wire/answering-client.ts'
import { Cancelling, isCancelled } from '../wire/cancelling.ts'
import { connect } from '../wire/connecting.ts'
import {
  isReadOnlyTransaction,
  originOf,
  readOnlyError,
  refusedWrite,
  spendsConnection,
  translatePostgresError,
  Unprepared,
} from '../wire/postgres-errors.ts'
import { type Ask, allRows, allTexts, firstField, readingOnlyAfter, rowsAfter } from './asks.ts'
import { ClientTransaction } from './client-transaction.ts'
import type { DatabaseOptions } from './database-options.ts'
import { Lanes } from './lanes.ts'
import { LostConnections, SilentlyLost } from './lost-connections.ts'
import { Pool } from './pool.ts'
import { poolShares } from './pool-shares.ts'
import { Probe } from './probe.ts'
import { type Place, WriteLimiter } from './write-limiter.ts'

export class PooledDatabase implements Database {
  readonly #options: DatabaseOptions
  readonly #hooks: StatementHooks
  readonly #pool: Pool
  readonly #shares: Shares
  readonly #lanes: Lanes | null
  readonly #probe: Probe
  readonly #lost: LostConnections
  readonly #listener: Listener
  readonly #decoder: Decoder
  readonly #histories = new StatementHistories()
  readonly #writeLimiter = new WriteLimiter()
  #serverVersion = 0
  /** Whether a transaction without BEGIN has the wanted isolation. */
  #beginsByItself = false
  #sweptReadOnlyAt = Number.NEGATIVE_INFINITY

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#hooks = options.hooks ?? { statement: null }
    const { url, settingNames, onConnectionError: onError } = options
    const timeoutMillis = options.connectTimeout * 1000
    const how = { url, settingNames, timeoutMillis }
    const connecting = () => connect(how)
    const lifetimeMillis = options.lifetime && options.lifetime * 1000
    this.#pool = new Pool({
      ...{ connect: connecting, most: options.connections, lifetimeMillis, onError },
      idleMillis: options.idleTimeout * 1000,
      timeoutMillis: options.poolTimeout * 1000,
    })
    this.#shares = poolShares(options, () => this.#pool.atWork)
    const lanes = { connect: connecting, count: laneCount, atWork: () => this.#pool.atWork, lifetimeMillis }
    this.#lanes = options.preparedStatements ? new Lanes(lanes) : null
    this.#probe = new Probe({
      connect: () => connect({ ...how, asLoginRole: true }),
      timeoutMillis: probeTimeoutMillis,
    })
    this.#listener = new Listener({ url, timeoutMillis, run: (text, values) => this.#rows(text, values) })
    this.#decoder = new Decoder({ url, timeoutMillis })
    this.#lost = new LostConnections({
      probe: this.#probe,
      clients: () => [...this.#pool.clients, ...(this.#lanes?.clients ?? [])],
      onLost: () => this.#closeIdle(),
    })
  }

  /** Connects, and reads the version and defaults of the server. */
  async open(): Promise<void> {
    const { isolation } = this.#options
    const [row] = await this.rows<{ version: string; isolation: string }>(
      `select current_setting('server_version_num') as version, current_setting('default_transaction_isolation') as isolation`,
    )
    this.#serverVersion = Math.floor(Number(row!.version) / 10_000)
    this.#beginsByItself = row!.isolation === isolation.replace('-', ' ')
    // Opened while the server still has room for it.
    await this.#probe.answers()
  }

  get serverVersion(): number {
    return this.#serverVersion
  }

  get connections(): ConnectionCounts {
    const { counts } = this.#pool
    const waiting = counts.waiting + this.#shares.waiting
    return { ...counts, waiting, ...(this.#lanes?.counts ?? { shared: 0, pending: 0 }) }
  }

  answer(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ReadOptions = {},
  ): Promise<Buffer | null> {
    const around = this.#hooks.statement
    if (!around) return this.#answer(statement, values, options)
    return around({ kind: 'query', digest: statement.name }, () => this.#answer(statement, values, options))
  }

  answerMany(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ManyOptions = {},
  ): Promise<(Buffer | null)[][]> {
    const before = options.before && (options.readOnly ? readingOnlyAfter(options.before) : options.before)
    const run = () => this.#readAlone(statement, values, options, before ? rowsAfter(before) : allRows)
    const around = this.#hooks.statement
    return around ? around({ kind: 'query', digest: statement.name }, run) : run()
  }

  change(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ChangeOptions,
  ): Promise<Buffer | null> {
    if (!this.#beginsByItself) return this.transaction((own) => own.lastBytes(statement, values), options)
    const around = this.#hooks.statement
    if (!around) return this.#change(statement, values, options)
    const work = { kind: 'transaction', digest: statement.name } as const
    return around(work, () => this.#change(statement, values, options))
  }

  texts(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    options: ChangeOptions = {},
  ): Promise<(string | null)[][]> {
    const run = () => this.#changeAlone(statement, values, options, { ask: allTexts, entering: null })
    const around = this.#hooks.statement
    return around ? around({ kind: 'other', digest: statement.name }, run) : run()
  }

  rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const run = () => this.#rows<R>(text, values)
    const around = this.#hooks.statement
    return around ? around({ kind: 'other', digest: null }, run) : run()
  }

  async transaction<T>(
    work: (transaction: OwnTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const { caller = null, signal = null } = options
    return this.#shares.run(caller, signal, async () => {
      try {
        return await this.#transact(work, options, this.#options.preparedStatements)
      } catch (error) {
        if (error instanceof Unprepared) return this.#transact(work, options, false)
        throw error
      }
    })
  }

  listen(channel: string, listener: ChannelListener): Listening {
    return this.#listener.listen(channel, listener)
  }

  decode(listener: DecodingListener): Promise<Decoding> {
    return this.#decoder.decode(listener)
  }

  spareRows<R extends Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#probe.rows<R>(text, values).catch(() => this.rows<R>(text, values))
  }

  answers(): Promise<boolean> {
    return this.#probe.answers()
  }

  async close(): Promise<void> {
    this.#lost.stop()
    const all = [this.#lanes, this.#probe, this.#listener, this.#decoder, this.#pool]
    await Promise.all(all.map((each) => each?.close()))
  }

  #answer(statement: PreparedStatement, values: readonly (string | null)[], options: ReadOptions) {
    const history = this.#histories.of(statement)
    const isShared = statement.onlyReads && history.isShort && !options.readOnly
    const lane = this.#lanes && isShared ? this.#lanes.pick() : null
    if (!lane) return this.#readAlone(statement, values, options, firstField)
    const { text, name } = statement
    const { signal = null, whenUnwanted = null } = options
    return lane.run(
      {
        text,
        values,
        name: lane.client.takes(name, text) ? name : null,
        history,
        whenUnwanted,
        elsewhere: () => this.#readAlone(statement, values, options, firstField),
        explained: (error) => (signal?.aborted ? error : translatePostgresError(error, text, values)),
      },
      signal,
    )
  }

  /** Reads on a connection of the pool, once the caller's share has room. */
  #readAlone<T>(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    { signal = null, whenUnwanted, caller = null, readOnly = false }: ReadOptions,
    ask: Ask<T>,
  ): Promise<T> {
    const ended = eitherSignal(signal, whenUnwanted?.() ?? null)
    return this.#shares.run(caller, ended, () => this.#readWithin({ ended, readOnly }, statement, values, ask))
  }

  /** Repeats the read on another connection if the first was lost silently. */
  async #readWithin<T>(
    { ended, readOnly }: { readonly ended: AbortSignal | null; readonly readOnly: boolean },
    statement: PreparedStatement,
    values: readonly (string | null)[],
    ask: Ask<T>,
  ): Promise<T> {
    let preparing = this.#options.preparedStatements
    let isAgain = false
    for (;;) {
      try {
        const preface = readOnly ? settingsStatement(readingOnly, preparing) : null
        return await unlessAborted(
          ended,
          this.#runAlone(statement, values, { signal: ended, preparing, preface, readOnly }, ask),
        )
      } catch (error) {
        if (error instanceof Unprepared && preparing) preparing = false
        else if (!isAgain && statement.onlyReads && originOf(error) instanceof SilentlyLost) isAgain = true
        else throw error
      }
    }
  }

  #change(statement: PreparedStatement, values: readonly (string | null)[], options: ChangeOptions) {
    const { caller = null, signal = null } = options
    // The share comes first: a caller that waits for it must not occupy the write limiter.
    return this.#shares.run(caller, signal, () => {
      const entering = this.#writeLimiter.enter(signal)
      return this.#changeAlone(statement, values, options, { ask: firstField, entering })
    })
  }

  /** Runs a statement that writes as its own transaction, once the limiter admits it. */
  async #changeAlone<T>(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    { settings = {}, signal = null }: ChangeOptions,
    { ask, entering }: { readonly ask: Ask<T>; readonly entering: Place | Promise<Place> | null },
  ): Promise<T> {
    const place = entering instanceof Promise ? await entering : entering
    let preparing = this.#options.preparedStatements
    try {
      for (;;) {
        try {
          const preface = settingsStatement(settings, preparing)
          return await this.#runAlone(statement, values, { signal, preparing, preface }, ask)
        } catch (error) {
          if (!preparing || !(error instanceof Unprepared)) throw error
          preparing = false
        }
      }
    } catch (error) {
      throw signal?.aborted && isCancelled(error) ? signal.reason : error
    } finally {
      if (place) this.#writeLimiter.leave(place)
    }
  }

  /** Runs a statement on a connection of the pool. */
  async #runAlone<T>(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    how: Pick<AnswerCall, 'preface'> &
      Pick<TransactionOptions, 'readOnly' | 'signal'> & { readonly preparing: boolean },
    ask: Ask<T>,
  ): Promise<T> {
    const { signal = null, preparing, preface, readOnly = false } = how
    const history = this.#histories.of(statement)
    const acquired = this.#pool.acquire(signal)
    const pooled = acquired instanceof Promise ? await acquired : acquired
    const { client } = pooled
    const { text } = statement
    const name = preparing && history.isRepeated && client.takes(statement.name, text) ? statement.name : null
    const cancelling = signal && new Cancelling(signal, client)
    const atWork = this.#pool.atWork
    const started = performance.now()
    let isSpent = false
    try {
      const answer = await ask(client, { text, values, name, preface })
      history.ranAlone(performance.now() - started, atWork)
      return answer
    } catch (error) {
      isSpent = spendsConnection(error, readOnly)
      if (error instanceof Unprepared && preparing) throw error
      const translated = translatePostgresError(error, text, values)
      throw readOnly ? refusedWrite(translated) : this.#explained(translated)
    } finally {
      if (cancelling) await cancelling.settle()
      this.#pool.release(pooled, isSpent)
    }
  }

  async #transact<T>(
    work: (transaction: OwnTransaction) => Promise<T>,
    options: TransactionOptions,
    preparing: boolean,
  ): Promise<T> {
    const { isolation = this.#options.isolation, isRepeatable = false, forReader = false } = options
    const { readOnly = forReader } = options
    const { settings = {}, signal = null, since } = options
    const pooled = await this.#pool.acquire(signal, since)
    const { client } = pooled
    const begin = `BEGIN ISOLATION LEVEL ${isolation.replace('-', ' ').toUpperCase()}${readOnly ? ' READ ONLY' : ''}`
    const cancelling = signal && new Cancelling(signal, client)
    const around = this.#hooks.statement
    const histories = this.#histories
    const transaction = new ClientTransaction({
      ...{ client, histories, preparing, isRepeatable, begin, settings, signal, around, forReader },
    })
    let isSpent = false
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } catch (error) {
      transaction.close()
      await cancelling?.settle()
      isSpent = spendsConnection(error, readOnly)
      await client.query('ROLLBACK').catch(() => {
        isSpent = true
      })
      if (signal?.aborted && isCancelled(error)) throw signal.reason
      throw readOnly ? error : this.#explained(error)
    } finally {
      await cancelling?.settle()
      this.#pool.release(pooled, isSpent || transaction.isUnlikeOthers)
    }
  }

  async #rows<R extends Row>(text: string, values: readonly unknown[]): Promise<R[]> {
    const pooled = await this.#pool.acquire()
    let isSpent = false
    try {
      return (await pooled.client.query<R>(text, values as unknown[])).rows
    } catch (error) {
      isSpent = spendsConnection(error)
      throw translatePostgresError(error, text, values)
    } finally {
      this.#pool.release(pooled, isSpent)
    }
  }

  /** The error of a write; a server that is read-only gets its own message. */
  #explained(error: unknown): unknown {
    if (!isReadOnlyTransaction(error)) return error
    const now = performance.now()
    if (now - this.#sweptReadOnlyAt > readOnlySweepMillis) {
      // The other idle connections lead to the same read-only server, while the URL may lead to a new primary.
      this.#sweptReadOnlyAt = now
      this.#closeIdle()
    }
    return readOnlyError(error)
  }

  #closeIdle(): void {
    this.#pool.closeIdle()
    this.#lanes?.closeIdle()
  }
}
