// The PostgreSQL of the tests. `npm test` starts one and hands it to all files by variables; a file that is run alone
// starts its own. TRELLIS_TEST_DATABASE_URL alone names a PostgreSQL of the developer's.

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../core/database/migrate.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { EmbeddedPostgres } from '../../process/embedded/embedded.ts'

/** A PostgreSQL with a template that holds the schema `trellis`, as after a first start. */
export interface TestPostgres {
  /** Of a database to connect to for making others. */
  readonly url: string
  readonly template: string
  stop(): Promise<void>
}

/** The PostgreSQL to use, by its URL. */
export const urlVariable = 'TRELLIS_TEST_DATABASE_URL'
const templateVariable = 'TRELLIS_TEST_TEMPLATE'

/** A directory that users other than the one of the tests may pass, as PostgreSQL needs when root runs the tests. */
export function makeTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'trellis-test-'))
  chmodSync(directory, 0o755)
  return directory
}

/** The URL of another database of the same PostgreSQL. */
export function urlOfDatabase(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${encodeURIComponent(database)}`
  return other.href
}

/** Starts the PostgreSQL for a run, or prepares the developer's. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const given = process.env[urlVariable]
  return withTemplate(given === undefined ? await startEmbedded() : { url: given, stop: async () => {} })
}

/** Makes the template in a PostgreSQL. */
export async function withTemplate(server: Pick<TestPostgres, 'url' | 'stop'>): Promise<TestPostgres> {
  const template = `trellis_template_${randomBytes(6).toString('hex')}`
  await onServer(server.url, `create database ${template}`)
  const settings = { databaseUrl: urlOfDatabase(server.url, template), retries: 0 }
  const plugins = builtInPlugins.map((plugin) => ({ plugin, source: null }))
  await migrate({ settings, observe: silentObserver, plugins })
  return {
    url: server.url,
    template,
    stop: async () => {
      await onServer(server.url, `drop database ${template} with (force)`)
      await server.stop()
    },
  }
}

/** Lets the processes that are started from here share a PostgreSQL. */
export function sharePostgres({ url, template }: TestPostgres): void {
  process.env[urlVariable] = url
  process.env[templateVariable] = template
}

/** The PostgreSQL that whoever started this process shares; null when nobody does. */
export function sharedPostgres(): Omit<TestPostgres, 'stop'> | null {
  const url = process.env[urlVariable]
  const template = process.env[templateVariable]
  return url !== undefined && template !== undefined ? { url, template } : null
}

/** Not durable, and with room for the pools of tests that run side by side. */
const parameters = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' }

/** Fixtures need what only a superuser may: foreign tables that lead back to where they are. */
const setup = ['alter role postgres superuser']

async function startEmbedded() {
  const directory = makeTemporaryDirectory()
  const embedded = new EmbeddedPostgres({ directory, connections: 0, observe: silentObserver, parameters, setup })
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', () => {
    embedded.abandon()
    remove()
  })
  await embedded.start()
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop('immediate')
      remove()
    },
  }
}

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
