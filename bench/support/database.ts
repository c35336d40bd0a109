// The bench's own PostgreSQL: the embedded one, in a directory of its own.

import { join } from 'node:path'
import pg from 'pg'
import { silentObserver } from '../../core/log/observe.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { readPostmaster } from '../../process/embedded/postmaster.ts'
import type { Scope } from './processes.ts'

export interface Database {
  readonly url: string
  /** Process id of PostgreSQL. */
  readonly postmaster: number
}

/** Enough for all servers that run at the same time, and for the observers. */
const connections = 150

/** Runs PostgreSQL while `work` does. */
export async function withDatabase(
  directory: string,
  scope: Scope,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const embedded = new EmbeddedPostgres({ directory, connections, observe: silentObserver })
  const abandon = () => embedded.abandon()
  process.once('exit', abandon)
  scope.defer(() => embedded.stop())
  await embedded.start()
  await work({ url: embedded.url, postmaster: readPostmaster(join(directory, 'postgres'))!.pid })
  await embedded.stop()
  process.off('exit', abandon)
}

/** Connects while `work` runs. */
export async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  // A query on a broken connection reports the error to its caller.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Creates an empty database on the same server, and drops an earlier one of that name. Returns its URL. */
export async function makeDatabase(serverUrl: string, name: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
    await client.query(`create database ${pg.escapeIdentifier(name)}`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  return url.href
}
