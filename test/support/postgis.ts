// A PostgreSQL with PostGIS for the tests that need one: that of the tests when it has the extension, else one of the
// machine's, run over a cluster in a temporary directory. Where there is none these tests are skipped, and say so.

import { once } from 'node:events'
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import pg from 'pg'
import { findRunAs, type RunAs, spawnAs } from '../../core/database/embedded-binaries.ts'
import { readPostmaster } from '../../core/database/postmaster.ts'
import { testDatabase, testPostgres } from './database.ts'
import { extensions, findPrograms } from './postgis-programs.ts'
import {
  makeTemporaryDirectory,
  onServer,
  type TestPostgres,
  urlOfDatabase,
  urlVariable,
  withTemplate,
} from './postgres.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from './trellis.ts'

type Server = Pick<TestPostgres, 'url' | 'template'>

/** The PostgreSQL that the tests were given, when it has the extensions. */
async function givenServer(): Promise<Server | null> {
  const url = process.env[urlVariable]
  if (url === undefined) return null
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select from pg_available_extensions where name = any ($1)', [extensions])
    return rows.length === extensions.length ? await testPostgres() : null
  } finally {
    await client.end()
  }
}

/** Runs a program of PostgreSQL to its end. */
async function run(runAs: RunAs, program: string, args: readonly string[]): Promise<void> {
  const child = spawnAs(runAs, program, args, { output: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`)
}

/** Its cluster is reached by a socket in its directory, so no port is taken. */
async function startServer(programs: string): Promise<TestPostgres> {
  const directory = makeTemporaryDirectory()
  const cluster = join(directory, 'cluster')
  const [initdb, postgres, control] = ['initdb', 'postgres', 'pg_ctl'].map((program) => join(programs, program))
  const runAs = await findRunAs(directory, cluster, { initdb: initdb!, postgres: postgres! })
  mkdirSync(cluster, { mode: 0o700 })
  if (runAs.owner) chownSync(cluster, runAs.owner.uid, runAs.owner.gid)
  const end = () => {
    const running = readPostmaster(cluster)
    if (running) process.kill(running.pid, 'SIGQUIT')
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', end)
  const place = `--pgdata=${cluster}`
  await run(runAs, initdb!, [
    place,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ])
  const settings = { listen_addresses: '', unix_socket_directories: cluster, port: '5432', fsync: 'off' }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  await run(runAs, control!, ['start', '--wait', place, `--log=${join(cluster, 'log')}`, '-o', options.join(' ')])
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(cluster)}&port=5432`
  const stop = () => run(runAs, control!, ['stop', '--wait', '--mode=immediate', place])
  const server = await withTemplate({ url, stop })
  // Making the extensions takes far longer than copying them.
  await onServer(urlOfDatabase(url, server.template), creation('public'))
  return server
}

/** The SQL that puts the extensions into a schema. */
function creation(schema: string): string {
  const created = extensions.map((name) => `create extension if not exists ${name} schema ${schema};`).join(' ')
  if (schema === 'public') return created
  return `drop extension if exists ${extensions.toReversed().join(', ')}; create schema ${schema}; ${created}`
}

const given = await givenServer()
const programs = given ? null : findPrograms()
const reason = 'there is no PostgreSQL with PostGIS and its rasters here'

/** Why tests of PostGIS cannot run; false when they can. */
const skip = given || programs ? false : reason

if (skip) {
  console.error(`\n!!! PostGIS is NOT tested: ${reason}.`)
  console.error('!!! On Debian: apt-get install postgresql-15-postgis-3, or the package of your version.\n')
}

let own: Promise<TestPostgres> | undefined

after(async () => (await own)?.stop())

/** A test that needs PostGIS; skipped where there is none. */
export const spatialTest = (name: string, run: (t: TestContext) => Promise<void>): void => {
  test(name, { skip }, run)
}

/** An engine over a database with PostGIS. */
export async function startSpatial(
  t: TestContext,
  { schema = 'public', ...options }: TrellisOptions & { readonly schema?: string } = {},
): Promise<TestTrellis> {
  if (!given) own ??= startServer(programs!)
  const server = given ?? (await own!)
  const database = await testDatabase(t, { server, sql: creation(schema) })
  return startTrellis(t, { ...options, database })
}
