// Statements as plugins see them for metrics and traces.

import type { Around } from '../around/around.ts'

/** A statement from the wait for a connection to its answer. */
export interface StatementWork {
  /** `query`: answers a request alone; `transaction`: part of a transaction; `other`: run for the server itself. */
  readonly kind: 'query' | 'transaction' | 'other'
  /** A digest of the text of a planned statement; null for all others. */
  readonly digest: string | null
}

/** The function around statements; null if no plugin has one. */
export interface StatementHooks {
  readonly statement: Around<StatementWork> | null
}
