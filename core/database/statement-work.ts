// Statements as plugins see them when they measure or trace the database.

import type { Around } from '../around/around.ts'

/** A statement on its way to PostgreSQL and back, including the wait for a connection. */
export interface StatementWork {
  /** `query`: answers a request alone; `transaction`: part of a transaction; `other`: run for the server itself. */
  readonly kind: 'query' | 'transaction' | 'other'
  /** A digest of the text of a planned statement; null for all others. */
  readonly digest: string | null
}

/** The function around statements; null where no plugin has one. */
export interface StatementHooks {
  readonly statement: Around<StatementWork> | null
}
