// A transaction on its own pipelined connection: statements that need no earlier answer are sent at once, so a mutation of
// one statement takes one round trip.

import type { Around } from '../../around/around.ts'
import type { PreparedStatement } from '../sql/prepared-statement.ts'
import type { StatementHistories } from '../sql/statement-history.ts'
import { settingsStatement, type TransactionSettings } from '../sql/transaction-settings.ts'
import type { StatementWork } from '../statement-work.ts'
import type { KeptRows, OwnTransaction, Row, ScriptResult } from '../transaction.ts'
import type { AnsweringClient, Call } from '../wire/answering-client.ts'
import { refusedWrite, transactionError, translatePostgresError, Unprepared } from '../wire/postgres-errors.ts'
import { runScript } from '../wire/script-query.ts'

export interface ClientTransactionOptions {
  readonly client: AnsweringClient
  readonly histories: StatementHistories
  /** Whether statements that run again are prepared. */
  readonly preparing: boolean
  /** Whether all of the work may run once more after a rollback, even if some of its statements have run. */
  readonly isRepeatable: boolean
  /** The statement that begins the transaction. */
  readonly begin: string
  readonly settings: TransactionSettings
  /** After it aborts, no further statement is sent. */
  readonly signal: AbortSignal | null
  /** Whether a refused write is the error of a session that may only read. */
  readonly forReader: boolean
  /** The hook around each statement of the work. */
  readonly around: Around<StatementWork> | null
}

export class ClientTransaction implements OwnTransaction {
  readonly #options: ClientTransactionOptions
  readonly #begun: Promise<unknown>
  #committed: Promise<void> | null = null
  /** Whether the end was sent or is about to be: soon another caller has the connection. */
  #isOver = false
  /** Whether a statement of the work has run. */
  #hasRun = false
  /** Whether this transaction may have changed the session, or found it in another state than other connections. */
  isUnlikeOthers = false

  /** Sends the beginning and the settings, without waiting. */
  constructor(options: ClientTransactionOptions) {
    this.#options = options
    const { client, begin, settings, preparing } = options
    const sent: Promise<unknown>[] = [client.query(begin)]
    const setting = settingsStatement(settings, preparing)
    if (setting) sent.push(client.answer(setting))
    this.#begun = Promise.all(sent)
    this.#begun.catch(() => {})
  }

  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { rows } = await this.#run(text, values, () => this.#options.client.query(text, values as unknown[]))
    return rows
  }

  async bytes(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null> {
    return this.#timed(statement, values, (call) => this.#options.client.answer(call))
  }

  async lastBytes(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null> {
    return this.#timed(statement, values, (call) => {
      const answer = this.#options.client.answer(call)
      // Sent right after the statement; if that fails, this COMMIT rolls back.
      this.#committed = this.#commit()
      this.#committed.catch(() => {})
      return answer
    })
  }

  async texts(statement: PreparedStatement, values: readonly (string | null)[]): Promise<(string | null)[][]> {
    return this.#timed(statement, values, (call) => this.#options.client.texts(call))
  }

  async script(text: string, most: KeptRows = {}): Promise<ScriptResult> {
    this.isUnlikeOthers = true
    const { all, notices } = await this.#run(text, [], () => runScript(this.#options.client, text, most))
    const last = all.at(-1)
    return {
      command: last?.command ?? '',
      columns: last?.columns?.map(({ name }) => name) ?? null,
      rows: last?.columns ? last.rows : null,
      all,
      notices,
    }
  }

  /** Ends the transaction unless the last statement did. */
  async commit(): Promise<void> {
    await (this.#committed ?? this.#commit())
  }

  /** Refuses further statements: work that was not awaited would run in another transaction, or outside one. */
  close(): void {
    this.#isOver = true
  }

  async #commit(): Promise<void> {
    this.close()
    const { command } = await this.#options.client.query('COMMIT').catch((error) => {
      throw transactionError(error)
    })
    // PostgreSQL answers ROLLBACK, without an error, when a statement had failed.
    if (command !== 'COMMIT') throw transactionError(new Error('a statement of the transaction had failed'))
    this.#options.client.requireConfirmed()
  }

  async #timed<T>(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    send: (call: Call) => Promise<T>,
  ): Promise<T> {
    const { client, histories, preparing } = this.#options
    const { text, name } = statement
    const history = histories.of(statement)
    const isPrepared = preparing && history.isRepeated && client.takes(name, text)
    const call = { text, values, name: isPrepared ? name : null }
    const started = performance.now()
    const answer = await this.#run(text, values, () => send(call), name)
    history.ranAlone(performance.now() - started, 0)
    return answer
  }

  #run<T>(text: string, values: readonly unknown[], send: () => Promise<T>, digest: string | null = null): Promise<T> {
    const run = () => this.#send(text, values, send)
    const { around } = this.#options
    return around ? around({ kind: 'transaction', digest }, run) : run()
  }

  /** Sends a statement; a failed BEGIN is reported before an error of the statement. */
  async #send<T>(text: string, values: readonly unknown[], send: () => Promise<T>): Promise<T> {
    this.#options.signal?.throwIfAborted()
    if (this.#isOver) throw new Error('the transaction is over')
    try {
      const answer = await send()
      this.#hasRun = true
      return answer
    } catch (error) {
      await this.#begun.catch((failure) => {
        throw this.#isUnprepared(failure) ? failure : transactionError(failure)
      })
      if (this.#isUnprepared(error)) throw error
      const translated = translatePostgresError(error, text, values)
      throw this.#options.forReader ? refusedWrite(translated) : translated
    }
  }

  /** Whether a statement was not prepared, and all of the work can run once more. */
  #isUnprepared(error: unknown): boolean {
    if (!(error instanceof Unprepared)) return false
    // The next user of the connection would find the statement in the same state.
    this.isUnlikeOthers = true
    const { preparing, isRepeatable } = this.#options
    return preparing && (isRepeatable || !this.#hasRun)
  }
}
