// Statements that run again and again, and the bounds on how many a connection keeps.

import { createHash } from 'node:crypto'
import type { QueryArrayConfig } from 'pg'
import type { Statement } from './sql.ts'

/** A statement that answers with ready JSON text in its first column. */
export interface PreparedStatement extends Statement {
  /** Name on the connection: a digest of the text, so equal texts share one prepared statement. */
  readonly name: string
  /** Running mean of its duration in milliseconds; slow ones leave the shared connections. */
  meanMillis: number
  /** How often it ran: what runs once is not worth a prepared statement. */
  runs: number
}

/** Makes a statement one that can be prepared. */
export const prepare = (statement: Statement): PreparedStatement => ({
  ...statement,
  name: `t${createHash('sha1').update(statement.text).digest('base64url')}`,
  meanMillis: 0,
  runs: 0,
})

/** A query for `pg`; with a name it is prepared on the connection. */
export type NamedQuery = QueryArrayConfig & { readonly name?: string }

/** The query whose rows are arrays of texts. */
export const textsQuery = (
  statement: PreparedStatement,
  values: readonly (string | null)[],
  preparing: boolean,
): NamedQuery => named(arrayQuery(statement, values), statement, preparing)

const arrayQuery = ({ text }: Statement, values: readonly (string | null)[]) => ({
  text,
  values: values as (string | null)[],
  rowMode: 'array' as const,
})

const named = (query: NamedQuery, { name, runs }: PreparedStatement, preparing: boolean): NamedQuery =>
  preparing && runs > 0 ? { ...query, name } : query

/** A connection with more prepared statements than this is replaced: the server keeps them for its whole life. */
const maxPrepared = 1000

/** Counts the statements that are prepared on a connection. */
export class PreparedNames {
  readonly #names = new Set<string>()

  /** Notes a query that is about to run. */
  add({ name }: { readonly name?: string | undefined }): void {
    if (name !== undefined) this.#names.add(name)
  }

  get isFull(): boolean {
    return this.#names.size > maxPrepared
  }
}
