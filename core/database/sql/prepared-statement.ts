// A statement that runs again and again, and what it is known by.

import { createHash } from 'node:crypto'
import type { ParamSource } from './param.ts'
import type { Statement } from './sql.ts'
import type { StatementHistory } from './statement-history.ts'

/** What is known of a statement beside its text. */
export interface StatementTraits {
  /**
   * Whether it does nothing but read: no volatile function runs in it. It may share a connection, and may be sent a second
   * time while the first is on its way.
   */
  readonly onlyReads: boolean
}

/** A statement with a name for connections that prepare it. */
export class PreparedStatement implements Statement {
  readonly text: string
  readonly params: readonly ParamSource[]
  /** A digest of the text, so equal texts share one prepared statement and one history. */
  readonly name: string
  readonly onlyReads: boolean
  /** How its runs went, looked up by the database that runs it first. */
  history: StatementHistory | null = null

  constructor({ text, params }: Statement, { onlyReads }: StatementTraits) {
    this.text = text
    this.params = params
    this.name = `t${createHash('sha1').update(text).digest('base64url')}`
    this.onlyReads = onlyReads
  }
}

/** Makes a statement one that can be prepared; by default one that may do more than read. */
export const prepare = (statement: Statement, traits: StatementTraits = { onlyReads: false }): PreparedStatement =>
  new PreparedStatement(statement, traits)
