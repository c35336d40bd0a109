// A separate PostgreSQL for a test, run from given programs with the test's settings, where neither the shared nor the
// embedded one can be used. It listens on a socket in its directory, so it needs no port.

import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findPrograms } from '../../process/embedded/embedded-binaries.ts'
import { readPostmaster } from '../../process/embedded/postmaster.ts'
import { findRunAs, nameInside, type RunAs, signalAs, spawnAs } from '../../process/embedded/run-as.ts'
import { makeClusterDirectory } from './postgres.ts'

export interface OwnPostgresOptions {
  /** The directory of its programs. */
  readonly programs: string
  readonly parameters?: Readonly<Record<string, string>>
  /** The directory of a stopped cluster to copy. */
  readonly copyOf?: string
}

export interface OwnPostgres {
  /** The URL of its database `postgres`. */
  readonly url: string
  /** The directory of its cluster, which holds its socket. */
  readonly cluster: string
  /** Process id of the postmaster. */
  readonly pid: number
  /** Starts it again. */
  start(): Promise<void>
  /** Stops it, and keeps its cluster. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** Promotes a standby. */
  promote(): Promise<void>
  /** Stops it and removes its cluster. */
  remove(): Promise<void>
}

/** The directory of the programs of the embedded PostgreSQL. */
export const embeddedPrograms = findPrograms

/** Runs a program of PostgreSQL to its end, in the directory of the cluster. */
async function run(runAs: RunAs, cluster: string, program: string, args: readonly string[]): Promise<void> {
  const child = spawnAs(runAs, program, args, { directory: cluster, output: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`)
}

/** Not durable, unless the test's settings say otherwise. */
const standard = { listen_addresses: '', port: '5432', fsync: 'off' }

/** Creates a cluster in a temporary directory; {@link OwnPostgres.start} starts it. */
export async function makePostgres(options: OwnPostgresOptions): Promise<OwnPostgres> {
  const directory = makeClusterDirectory()
  const cluster = join(directory, 'cluster')
  const runAs = await findRunAs(cluster, join(options.programs, 'postgres'))
  const place = nameInside(runAs, cluster)
  const removeFiles = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  const atExit = () => {
    const running = readPostmaster(cluster)
    if (running) signalAs(runAs.owner, running.pid, 'SIGQUIT')
    removeFiles()
  }
  process.once('exit', atExit)
  await fillCluster(cluster, runAs, options)
  const parameters = { ...standard, unix_socket_directories: place, ...options.parameters }
  const settings = Object.entries(parameters).map(([name, value]) => `-c ${name}='${value}'`)
  const control = (...args: readonly string[]) =>
    run(runAs, cluster, 'pg_ctl', [args[0]!, '--wait', `--pgdata=${place}`, ...args.slice(1)])
  const stop = (mode = 'immediate') => control('stop', `--mode=${mode}`)
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(cluster)}&port=5432`,
    cluster,
    get pid() {
      return readPostmaster(cluster)?.pid ?? 0
    },
    start: () => control('start', `--log=${join(place, 'log')}`, '-o', settings.join(' ')),
    stop,
    promote: () => control('promote'),
    remove: async () => {
      if (readPostmaster(cluster)) await stop().catch(() => {})
      removeFiles()
      process.off('exit', atExit)
    },
  }
}

async function fillCluster(cluster: string, runAs: RunAs, { copyOf }: OwnPostgresOptions): Promise<void> {
  const { owner } = runAs
  if (copyOf !== undefined) {
    // Sockets and the lock file belong to a running server.
    cpSync(copyOf, cluster, { recursive: true, filter: (path) => !/\.s\.PGSQL|postmaster\.pid/.test(path) })
    chmodSync(cluster, 0o700)
    const paths = ['.', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })]
    if (owner) for (const path of paths) chownSync(join(cluster, path), owner.uid, owner.gid)
    return
  }
  mkdirSync(cluster, { mode: 0o700 })
  if (owner) chownSync(cluster, owner.uid, owner.gid)
  const locale = ['--encoding=UTF8', '--no-locale', '--no-sync']
  const place = `--pgdata=${nameInside(runAs, cluster)}`
  await run(runAs, cluster, 'initdb', [place, '--username=postgres', '--auth=trust', ...locale])
}
