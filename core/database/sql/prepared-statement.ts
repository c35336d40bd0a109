// A statement that runs repeatedly, with its name and history.

import { createHash } from 'node:crypto'
import type { ParamSource } from './param.ts'
import type { Statement } from './sql.ts'
import type { StatementHistory } from './statement-history.ts'

/** Facts about a statement besides its text. */
export interface StatementTraits {
  /** Whether it only reads and calls no volatile function: it may share a connection, and may run twice at the same time. */
  readonly onlyReads: boolean
}

/** A statement with a name for connections that prepare it. */
export class PreparedStatement implements Statement {
  readonly text: string
  readonly params: readonly ParamSource[]
  /** A digest of the text, so equal texts share one prepared statement and one history. */
  readonly name: string
  readonly onlyReads: boolean
  /** The history of its runs; the database that runs it first looks it up. */
  history: StatementHistory | null = null

  constructor({ text, params }: Statement, { onlyReads }: StatementTraits) {
    this.text = text
    this.params = params
    this.name = `t${createHash('sha1').update(text).digest('base64url')}`
    this.onlyReads = onlyReads
  }
}

/** Names a statement, so that connections can prepare it; by default it counts as one that may write. */
export const prepare = (statement: Statement, traits: StatementTraits = { onlyReads: false }): PreparedStatement =>
  new PreparedStatement(statement, traits)
