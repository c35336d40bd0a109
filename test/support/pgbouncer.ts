// PgBouncer between the server and PostgreSQL, pooling transactions. Without PgBouncer, the tests that need it are
// skipped with a message.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { findRunAs, nameInside, signalAs, spawnAs } from '../../process/embedded/run-as.ts'
import { atEnd } from './cleanup.ts'
import { makeTemporaryDirectory } from './postgres.ts'
import { eventually } from './waiting.ts'

/** The program; null when there is no PgBouncer. */
export function findPgBouncer(): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  for (const directory of directories) {
    const program = join(directory, 'pgbouncer')
    if (existsSync(program)) return program
  }
  return null
}

const program = findPgBouncer()
const reason = 'there is no PgBouncer here'

/** A test that needs PgBouncer; skipped without it. */
export const pooledTest = (name: string, run: (t: TestContext) => Promise<void>): void => {
  test(name, { skip: program ? false : reason }, run)
}

/** Starts it in front of a database, with further settings; returns the URL through it. */
export async function startPgBouncer(
  t: TestContext,
  databaseUrl: string,
  more: Readonly<Record<string, string | number>> = {},
): Promise<string> {
  const directory = makeTemporaryDirectory()
  const place = join(directory, 'pgbouncer')
  const runAs = await findRunAs(place, program!)
  mkdirSync(place)
  const { host, port, database, user, password } = new pg.Client({ connectionString: databaseUrl })
  const target = { host, port, user, ...(password && { password }) }
  const settings = {
    ...{ unix_socket_dir: nameInside(runAs, place), listen_port: 6432, auth_type: 'any', pool_mode: 'transaction' },
    ...{ max_client_conn: 200, default_pool_size: 10, server_reset_query_always: 0 },
    ignore_startup_parameters: 'extra_float_digits,options',
    ...more,
  }
  const lines = (entries: object, mark: string) =>
    Object.entries(entries).map(([name, value]) => `${name}${mark}${value}`)
  const configuration = ['[databases]', `* = ${lines(target, '=').join(' ')}`, '[pgbouncer]', ...lines(settings, ' = ')]
  const file = join(place, 'pgbouncer.ini')
  writeFileSync(file, `${configuration.join('\n')}\n`)
  if (runAs.owner) for (const path of [place, file]) chownSync(path, runAs.owner.uid, runAs.owner.gid)
  const child = spawnAs(runAs, basename(program!), [basename(file)], { directory: place, output: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  const ended = once(child, 'exit')
  atEnd(t, async () => {
    signalAs(runAs.owner, child.pid!, 'SIGINT')
    await ended
    rmSync(directory, { recursive: true, force: true })
  })
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`)
    return existsSync(join(place, '.s.PGSQL.6432'))
  })
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(place)}&port=6432`
}

if (import.meta.main) {
  if (program) console.log(execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0])
  else process.exitCode = 1
}
