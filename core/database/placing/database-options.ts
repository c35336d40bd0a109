// How a database is connected to, and how its connections are used.

import type { Isolation } from '../database.ts'
import type { StatementHooks } from '../statement-work.ts'

export interface DatabaseOptions {
  /** A connection URL. */
  readonly url: string
  /** At most this many pooled connections; beside the pool there are two lanes, the probe and the one that listens. */
  readonly connections: number
  /** Seconds after which an idle pooled connection is closed. */
  readonly idleTimeout: number
  /** Seconds that a connection may live; null: for ever. */
  readonly lifetime: number | null
  /** Seconds that connecting may take, and that a request waits for a connection. */
  readonly connectTimeout: number
  readonly poolTimeout: number
  /** The largest part of the pool, in percent, that one session at one address has. */
  readonly callerShare: number
  /** Off for proxies that pool transactions; there are no lanes then. */
  readonly preparedStatements: boolean
  readonly isolation: Isolation
  /** Names of the settings that transactions make. */
  readonly settingNames: readonly string[]
  /** Told of connections that break while idle. */
  readonly onConnectionError: (error: Error) => void
  /** Put around statements; absent: nothing. */
  readonly hooks?: StatementHooks
}
