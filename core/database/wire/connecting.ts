// Connecting to PostgreSQL while the server runs: within a limit, and to a session that looks like all others.

import { AnsweringClient } from './answering-client.ts'
import { connectionConfig } from './connection-config.ts'

export interface ConnectOptions {
  /** A connection URL. */
  readonly url: string
  /** Milliseconds that it may take. */
  readonly patienceMillis: number
  /**
   * Settings that transactions make for themselves: once made, PostgreSQL remembers them as empty on that connection, so
   * that they are empty from the beginning on all.
   */
  readonly settingNames: readonly string[]
  /**
   * Whether the session is the role that logged in, and not the one that this is made to take (`alter role … set role`): what its
   * sessions do PostgreSQL shows to itself alone.
   */
  readonly isOneself?: boolean
}

/**
 * Where nobody has chosen, PostgreSQL compiles statements that it takes for costly: of ours, which are many small
 * expressions, that costs up to seconds and gains nothing.
 */
const withoutCompiling = `(
  select pg_catalog.set_config('jit', 'off', false) from pg_catalog.pg_settings where name = 'jit' and source = 'default'
)`

/**
 * The server reads dates itself, and goes on from numbers that it gave to others: neither may depend on what role and database have
 * set. In which order dates are read stays as it was. Proxies that hand connections of PostgreSQL's from one client to another know of
 * `DateStyle`, and of digits do not: there all connections stay as they are, since answers must not change from one to the next.
 */
const exactTexts = `pg_catalog.set_config('DateStyle', 'ISO', false), case when pg_catalog.pg_backend_pid() = $1 then
  pg_catalog.set_config('extra_float_digits', greatest(1, pg_catalog.current_setting('extra_float_digits')::int)::text, false) end`

/**
 * What the server takes from its ledgers it takes beside others, who change them all the time: under a snapshot of its own PostgreSQL
 * refuses that again and again. Transactions that are to have another isolation say so when they begin. Behind a proxy it would be
 * another client's, too.
 */
const seesCommits = `case when pg_catalog.pg_backend_pid() = $1 then
  pg_catalog.set_config('default_transaction_isolation', 'read committed', false) end`

/** Behind a proxy it would be another client's role, too. */
const asOneself = `case when pg_catalog.pg_backend_pid() = $1 then pg_catalog.set_config('role', 'none', false) end`

/** A client that is connected; rejects with what `pg` says. */
export async function connect(options: ConnectOptions): Promise<AnsweringClient> {
  const { url, patienceMillis, settingNames, isOneself = false } = options
  const client = new AnsweringClient(connectionConfig(url))
  // Whoever uses it is told of errors by what fails; one that nobody listens to ends the process.
  client.on('error', () => {})
  const late = setTimeout(() => client.destroy(new Error('timeout expired')), patienceMillis)
  try {
    await client.connect()
    const settings = settingNames.map((_, i) => `, pg_catalog.set_config($${i + 2}, '', false)`)
    const parts = [
      'pg_catalog.pg_backend_pid() as pid',
      withoutCompiling,
      exactTexts,
      seesCommits,
      ...(isOneself ? [asOneself] : []),
    ]
    const text = `select ${parts.join(', ')}${settings.join('')}`
    const { rows } = await client.query<{ pid: number }>(text, [client.backend, ...settingNames])
    client.isDirect = rows[0]!.pid === client.backend
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  } finally {
    clearTimeout(late)
  }
}
