// One transaction on one connection, as handlers see it.

import type { PreparedStatement } from './sql/prepared-statement.ts'

/** A row by column name; values in PostgreSQL's text form converted by pg's usual parsers. */
export type Row = Record<string, unknown>

/** An open transaction. Its methods throw the errors of PostgreSQL as errors of the API. */
export interface Transaction {
  /** Runs text with bound values (`$1`, ...) and returns the rows. */
  rows<R extends Row = Row>(text: string, values?: readonly unknown[]): Promise<R[]>
  /** Runs a compiled statement whose first column is ready JSON text; returns its bytes (null for SQL NULL or no row). */
  bytes(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null>
  /** Runs a compiled statement whose columns are texts; returns its rows. */
  texts(statement: PreparedStatement, values: readonly (string | null)[]): Promise<(string | null)[][]>
  /** Runs text that may hold several statements by the simple protocol; returns the last one's raw text result. */
  script(text: string, most?: KeptRows): Promise<ScriptResult>
}

/** A transaction as its opener sees it, which knows which statement is the last. */
export interface OwnTransaction extends Transaction {
  /** As `bytes`, for the last statement: the COMMIT follows it at once, without another round trip. */
  lastBytes(statement: PreparedStatement, values: readonly (string | null)[]): Promise<Buffer | null>
}

/** Limits of the rows of a script that are kept; those after them are read and forgotten. Absent: no limit. */
export interface KeptRows {
  /** Of each statement. */
  readonly rows?: number
  /** Of all cells of all statements. */
  readonly characters?: number
}

/** The outcome of the last statement of a script; `rows` is null for commands that return none. */
export interface ScriptResult {
  readonly command: string
  readonly columns: readonly string[] | null
  readonly rows: readonly (readonly (string | null)[])[] | null
  /** The outcomes of all statements, in order. */
  readonly all: readonly StatementResult[]
  /** The notices and warnings of all statements, in order; the first ones of very many. */
  readonly notices: readonly Notice[]
}

/** A message of PostgreSQL beside the results, as of `raise notice`. */
export interface Notice {
  /** `NOTICE`, `WARNING`, `INFO`, `LOG` or `DEBUG`. */
  readonly severity: string
  readonly message: string
}

/** The outcome of a statement; `columns` is null for commands that return no rows. */
export interface StatementResult {
  readonly command: string
  /** Rows returned, or changed; null for commands that count none. */
  readonly rowCount: number | null
  /** Columns with the OIDs of their types. */
  readonly columns: readonly { readonly name: string; readonly type: number }[] | null
  readonly rows: readonly (readonly (string | null)[])[]
  /** Whether it returned more rows than were kept. */
  readonly hasMore: boolean
}

function refuseStatement(): never {
  throw new TypeError('the work declares that it needs no transaction')
}

/** The transaction of work that declares that it needs none. */
export const noTransaction: Transaction = {
  rows: async () => refuseStatement(),
  bytes: async () => refuseStatement(),
  texts: async () => refuseStatement(),
  script: async () => refuseStatement(),
}
