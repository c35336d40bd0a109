// The PostgreSQL of tests: one per process, started when first needed. Its databases are copies of a template that
// contains the schema `trellis`. A variable can name an existing PostgreSQL instead.

import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../../core/database/migrations/migrate.ts'
import { connectOnce } from '../../core/database/wire/connect.ts'
import { migrationOwners } from '../../core/engine/plugins.ts'
import { codeOf } from '../../core/errors/thrown.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { environment } from '../../core/options/environment.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'
import { watchOver } from '../../process/embedded/watch.ts'

/** A PostgreSQL and its template database. */
export interface TestPostgres {
  /** The URL of a database to connect to for creating others. */
  readonly url: string
  readonly template: string
}

/** A PostgreSQL that its starter has to stop. */
export interface OwnedPostgres extends TestPostgres {
  stop(): Promise<void>
}

/** Names an existing PostgreSQL to use instead of a new one. */
export const urlVariable = 'TRELLIS_TEST_DATABASE_URL'

/** Names the template in it; if it is not set, one is created. */
export const templateVariable = 'TRELLIS_TEST_TEMPLATE'

/** Creates a directory that other users can enter. PostgreSQL needs that when root runs the tests. */
export function makeTemporaryDirectory(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'trellis-test-'))
  chmodSync(directory, 0o755)
  return directory
}

/** Linux keeps files in memory there. */
const memoryDirectory = '/dev/shm'

/** Bytes that have to be free, both there and in memory: several times the need of all tests at once. */
const roomForClusters = 4 * 2 ** 30

/** Creates a directory for a cluster that is soon removed: in memory, where copying a database takes a third of the time. */
export const makeClusterDirectory = (): string => makeTemporaryDirectory(hasRoomInMemory() ? memoryDirectory : tmpdir())

function hasRoomInMemory(): boolean {
  if (!existsSync(memoryDirectory)) return false
  const { bavail, bsize } = statfsSync(memoryDirectory)
  return Math.min(bavail * bsize, process.availableMemory()) >= roomForClusters
}

/** The URL of another database of the same PostgreSQL. */
export function urlOfDatabase(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${encodeURIComponent(database)}`
  return other.href
}

/** Runs one statement on a new connection. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = await connectOnce(url)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Copies a database by its files. Since PostgreSQL 15 the default logs each page, which takes twice as long. */
export const copyDatabase = (url: string, name: string, template: string): Promise<void> =>
  onServerOf(url, `create database ${name} template ${template} strategy file_copy`, [
    `create database ${name} template ${template}`,
  ])

/** Attempts to drop a database that is still in use, and the pause between them in milliseconds. */
const [dropAttempts, dropPause] = [20, 50] as const

/** Drops a database and closes its connections. PostgreSQL does not close replication connections by itself. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  for (let left: number = dropAttempts; ; left--) {
    try {
      return await dropOnce(url, name)
    } catch (error) {
      if (codeOf(error) !== objectInUse || left === 0) throw error
    }
    const decoding = `from pg_replication_slots where database = '${name}' and active`
    await onServer(url, `select pg_terminate_backend(active_pid) ${decoding}`)
    await sleep(dropPause)
  }
}

/** Before PostgreSQL 13 it takes two statements. */
const dropOnce = (url: string, name: string): Promise<void> =>
  onServerOf(url, `drop database ${name} with (force)`, [
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    `drop database ${name}`,
  ])

const [syntaxError, objectInUse] = ['42601', '55006']

/** Runs a statement, or its replacement on a PostgreSQL that does not support it. */
async function onServerOf(url: string, statement: string, otherwise: readonly string[]): Promise<void> {
  try {
    await onServer(url, statement)
  } catch (error) {
    if (codeOf(error) !== syntaxError) throw error
    for (const each of otherwise) await onServer(url, each)
  }
}

/** Creates the template in a PostgreSQL. */
export async function withTemplate(server: Pick<OwnedPostgres, 'url' | 'stop'>): Promise<OwnedPostgres> {
  const template = `trellis_template_${randomBytes(6).toString('hex')}`
  await onServer(server.url, `create database ${template}`)
  const settings = { databaseUrl: urlOfDatabase(server.url, template), retries: 0 }
  const plugins = builtInPlugins.map((plugin) => ({ plugin, source: null }))
  await migrate({ settings, observe: silentObserver, owners: migrationOwners(plugins) })
  return {
    url: server.url,
    template,
    stop: async () => {
      await dropDatabase(server.url, template)
      await server.stop()
    },
  }
}

/**
 * Without durability, with enough connections for tests that run in parallel, and without the vacuums of hundreds of short-lived
 * databases. Each backend reads for itself: pages of a new database are in memory, and handing reads to other processes takes longer.
 */
const parameters = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
  ...{ max_connections: '400', io_method: 'sync' },
}

/** Starts a temporary PostgreSQL that stops with the process; a superuser runs `setup` first. */
export async function startTemporary(setup: readonly string[] = []): Promise<Pick<OwnedPostgres, 'url' | 'stop'>> {
  const directory = makeClusterDirectory()
  const remove = () => rmSync(directory, { recursive: true, force: true })
  const embedded = new EmbeddedPostgres({
    ...{ directory, connections: 0, observe: silentObserver, parameters, setup },
    keepsProcess: false,
  })
  try {
    await embedded.start()
  } catch (error) {
    remove()
    throw error
  }
  const unwatch = watchOver({ cluster: join(directory, 'postgres'), signal: 'QUIT', remove: directory })
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop('immediate')
      unwatch()
      remove()
    },
  }
}

/** The PostgreSQL that the parent process shares; null if it shares none. */
export function sharedPostgres(): TestPostgres | null {
  const { [urlVariable]: url, [templateVariable]: template } = environment
  return url !== undefined && template !== undefined ? { url, template } : null
}

let own: Promise<TestPostgres> | undefined

/** The PostgreSQL for the tests of this process. */
export function testPostgres(): Promise<TestPostgres> {
  own ??= (async () => {
    const shared = sharedPostgres()
    if (shared) return shared
    const given = environment[urlVariable]
    if (given === undefined) return withTemplate(await startTemporary())
    const postgres = await withTemplate({ url: given, stop: async () => {} })
    process.once('beforeExit', () => postgres.stop().catch(() => {}))
    return postgres
  })()
  return own
}

/** Creates a database from the template; the returned function drops it. */
export async function makeDatabase({ url: server, template }: TestPostgres) {
  const name = `test_${randomBytes(8).toString('hex')}`
  await copyDatabase(server, name, template)
  return { url: urlOfDatabase(server, name), drop: () => dropDatabase(server, name) }
}
