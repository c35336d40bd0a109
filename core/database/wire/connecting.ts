// Connecting to PostgreSQL while the server runs: with a timeout, and with the same session state on every connection.

import { AnsweringClient } from './answering-client.ts'
import { connectionConfig } from './connection-config.ts'
import { currentUrl } from './current-url.ts'
import { needsPrimary, standbyError, tryHosts } from './hosts.ts'

export interface ConnectOptions {
  /** A connection URL. */
  readonly url: string
  /** Connection timeout in milliseconds. */
  readonly timeoutMillis: number
  /**
   * Settings that transactions make. After a transaction has made one, PostgreSQL keeps it as an empty string on that
   * connection, so every connection starts with empty ones.
   */
  readonly settingNames: readonly string[]
  /**
   * Whether the session stays the login role, despite `alter role … set role`: PostgreSQL shows the statements of a role's
   * sessions only to that role.
   */
  readonly asLoginRole?: boolean
}

/**
 * Turns off JIT unless it was configured: PostgreSQL overestimates the cost of our many small expressions, and compiling
 * them takes up to seconds and gains nothing.
 */
const withoutCompiling = `(
  select pg_catalog.set_config('jit', 'off', false) from pg_catalog.pg_settings where name = 'jit' and source = 'default'
)`

/**
 * The server parses dates and numbers that PostgreSQL printed, so the formats must not depend on settings of the role or
 * database. The order of day and month in input stays as configured. Transaction-pooling proxies track `DateStyle` but not
 * the digits of floats. Behind them digits stay unchanged, so that answers do not differ between connections.
 */
const exactTexts = `pg_catalog.set_config('DateStyle', 'ISO', false), case when pg_catalog.pg_backend_pid() = $1 then
  pg_catalog.set_config('extra_float_digits', greatest(1, pg_catalog.current_setting('extra_float_digits')::int)::text, false) end`

/**
 * The server's own ledgers are changed concurrently all the time: a snapshot per transaction would make PostgreSQL refuse
 * claims again and again. Transactions that need another isolation set it when they begin. Behind a proxy the setting
 * would also reach other clients.
 */
const seesCommits = `case when pg_catalog.pg_backend_pid() = $1 then
  pg_catalog.set_config('default_transaction_isolation', 'read committed', false) end`

/** Behind a proxy the role would also reach other clients. */
const resetRole = `case when pg_catalog.pg_backend_pid() = $1 then pg_catalog.set_config('role', 'none', false) end`

/** A connected client, of several hosts to the one that takes writes; rejects with the error of `pg`. */
export function connect(options: ConnectOptions): Promise<AnsweringClient> {
  const current = currentUrl(options.url)
  const isPrimary = needsPrimary(current)
  return tryHosts(current, (url) => connectTo({ ...options, url }, isPrimary))
}

async function connectTo(options: ConnectOptions, isPrimary: boolean): Promise<AnsweringClient> {
  const { url, timeoutMillis, settingNames, asLoginRole = false } = options
  const client = new AnsweringClient(connectionConfig(url))
  // Failures reach the callers of its statements; an `error` event without a listener would end the process.
  client.on('error', () => {})
  const late = setTimeout(() => client.destroy(new Error('timeout expired')), timeoutMillis)
  try {
    await client.connect()
    const settings = settingNames.map((_, i) => `, pg_catalog.set_config($${i + 2}, '', false)`)
    const parts = [
      'pg_catalog.pg_backend_pid() as pid',
      withoutCompiling,
      exactTexts,
      seesCommits,
      ...(asLoginRole ? [resetRole] : []),
      ...(isPrimary ? ['pg_catalog.pg_is_in_recovery() as standby'] : []),
    ]
    const text = `select ${parts.join(', ')}${settings.join('')}`
    const { rows } = await client.query<{ pid: number; standby?: boolean }>(text, [client.backend, ...settingNames])
    if (rows[0]!.standby) throw standbyError()
    client.isDirect = rows[0]!.pid === client.backend
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  } finally {
    clearTimeout(late)
  }
}
