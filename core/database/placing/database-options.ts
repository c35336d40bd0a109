// The settings of a database: how to connect to it, and how its connections are used.

import type { Isolation } from '../database.ts'
import type { StatementHooks } from '../statement-work.ts'

export interface DatabaseOptions {
  /** A connection URL. */
  readonly url: string
  /** The largest number of pooled connections; two lanes, the probe and the notification connection come on top. */
  readonly connections: number
  /** Seconds after which an idle pooled connection is closed. */
  readonly idleTimeout: number
  /** The longest life of a connection in seconds; null: unlimited. */
  readonly lifetime: number | null
  /** Seconds for connecting, and for waiting until a connection is free. */
  readonly connectTimeout: number
  readonly poolTimeout: number
  /** The largest percentage of the pool that one session at one address may use. */
  readonly callerShare: number
  /** Off for proxies that pool transactions; then there are no lanes. */
  readonly preparedStatements: boolean
  readonly isolation: Isolation
  /** Names of the settings that transactions make. */
  readonly settingNames: readonly string[]
  /** Called when a connection breaks while idle. */
  readonly onConnectionError: (error: Error) => void
  /** Hooks around statements; absent: none. */
  readonly hooks?: StatementHooks
}
