// A transaction on a pipelined connection of its own: what need not wait for an answer is sent right behind what came
// before, so that a mutation of one statement takes one round trip.

import type pg from 'pg'
import { transactionError, translatePostgresError } from './postgres-errors.ts'
import { type NamedQuery, type PreparedNames, type PreparedStatement, textsQuery } from './prepared-statement.ts'
import type { OwnTransaction, Row, ScriptResult } from './transaction.ts'

export interface ClientTransactionOptions {
  readonly client: pg.PoolClient
  readonly names: PreparedNames
  /** Whether statements that run again are prepared. */
  readonly preparing: boolean
  /** The statement that begins the transaction. */
  readonly begin: string
  /** Settings of the transaction, by name. */
  readonly settings: Readonly<Record<string, string>>
}

export class ClientTransaction implements OwnTransaction {
  readonly #options: ClientTransactionOptions
  readonly #begun: Promise<unknown>
  #committed: Promise<void> | null = null

  /** Sends the beginning and the settings, without waiting. */
  constructor(options: ClientTransactionOptions) {
    this.#options = options
    const { client, begin, settings } = options
    const sent = [client.query(begin)]
    for (const setting of Object.entries(settings)) {
      sent.push(
        client.query({ name: 'trellis_setting', text: 'select pg_catalog.set_config($1, $2, true)', values: setting }),
      )
    }
    this.#begun = Promise.all(sent)
    this.#begun.catch(() => {})
  }

  async rows<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { rows } = await this.#run(text, values, () => this.#options.client.query(text, values as unknown[]))
    return rows
  }

  async text(statement: PreparedStatement, values: readonly (string | null)[]): Promise<string | null> {
    const query = textsQuery(statement, values, this.#options.preparing)
    return firstText(await this.#runPrepared(statement, query))
  }

  async lastText(statement: PreparedStatement, values: readonly (string | null)[]): Promise<string | null> {
    const query = textsQuery(statement, values, this.#options.preparing)
    const answer = this.#runPrepared(statement, query)
    // When the statement fails, this COMMIT rolls back.
    this.#committed = this.#commit()
    this.#committed.catch(() => {})
    return firstText(await answer)
  }

  async texts(statement: PreparedStatement, values: readonly (string | null)[]): Promise<(string | null)[][]> {
    const query = textsQuery(statement, values, this.#options.preparing)
    return (await this.#runPrepared(statement, query)).rows as (string | null)[][]
  }

  async script(text: string): Promise<ScriptResult> {
    const query = { text, rowMode: 'array', types: { getTypeParser: () => String } } as unknown as pg.QueryArrayConfig
    const results = await this.#run(text, [], () => this.#options.client.query(query))
    const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryArrayResult | undefined
    const returnsRows = (last?.fields.length ?? 0) > 0
    return {
      command: last?.command ?? '',
      columns: returnsRows ? last!.fields.map(({ name }) => name) : null,
      rows: returnsRows ? (last!.rows as (string | null)[][]) : null,
    }
  }

  /** Ends the transaction unless the last statement did. */
  async commit(): Promise<void> {
    await (this.#committed ?? this.#commit())
  }

  async #commit(): Promise<void> {
    const { command } = await this.#options.client.query('COMMIT').catch((error) => {
      throw transactionError(error)
    })
    // PostgreSQL answers ROLLBACK, without an error, when a statement had failed.
    if (command !== 'COMMIT') throw transactionError(new Error('a statement of the transaction had failed'))
  }

  #runPrepared(statement: PreparedStatement, query: NamedQuery): Promise<pg.QueryArrayResult> {
    const { client, names } = this.#options
    names.add(query)
    statement.runs++
    return this.#run(statement.text, query.values ?? [], () => client.query(query))
  }

  /** Runs a statement; a failure to begin counts before one of the statement itself. */
  async #run<T>(text: string, values: readonly unknown[], send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      await this.#begun.catch((failure) => {
        throw transactionError(failure)
      })
      throw translatePostgresError(error, text, values)
    }
  }
}

/** The first row's first column; null for SQL NULL or no row. */
export const firstText = ({ rows }: pg.QueryArrayResult): string | null =>
  (rows[0] as unknown as (string | null)[] | undefined)?.[0] ?? null
