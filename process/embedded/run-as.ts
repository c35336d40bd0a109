// The user that PostgreSQL runs as, and how its programs reach their cluster. PostgreSQL refuses to run as root, so root
// starts it as the cluster's owner, and a new one as the system user `postgres`.
//
// That user may lack access to a parent directory such as `/root`. Then root starts the programs in the cluster's directory,
// changes the user, and names the directory `/proc/self/cwd`: the kernel follows that link without checking the parents.
// So PostgreSQL needs no capability for this, and root no extra tool.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'
import { findRunnable } from './runnable-programs.ts'
import { findSystemUser, requireCapabilities, requireKnownUser, type User } from './system-user.ts'

/** The user that PostgreSQL runs as, and the programs' directory. */
export interface RunAs {
  /** The owner of its files; null: the user of this process. */
  readonly owner: User | null
  /** The directory of its programs. */
  readonly programs: string
  /** Whether the owner may not enter a parent directory of the cluster. */
  readonly isPrivate: boolean
}

/** Determines the user for a program with files in that directory, which may not exist yet. */
export async function findRunAs(directory: string, program: string): Promise<RunAs> {
  if (process.geteuid?.() !== 0) {
    if (!existsSync(directory)) requireKnownUser()
    return { owner: null, programs: dirname(program), isPrivate: false }
  }
  requireCapabilities()
  const { uid, gid } = statSync(directory, { throwIfNoEntry: false }) ?? (await findSystemUser())
  const owner = { uid, gid }
  const isPrivate = !isReachable(dirname(directory), owner)
  if (isPrivate && !existsSync(workingDirectory)) {
    throw new StartError(
      `PostgreSQL runs as user ${uid} here, who may not enter ${dirname(directory)}: choose a directory that every user may enter with --data-dir, start as another user, or use --database-url`,
    )
  }
  return { owner, programs: await findRunnable(program, owner), isPrivate }
}

const workingDirectory = '/proc/self/cwd'

/** The name of a directory for programs that {@link spawnAs} starts in it. */
export const nameInside = ({ isPrivate }: RunAs, directory: string): string =>
  isPrivate ? workingDirectory : directory

/** The options of `postgres` that name its cluster. The last one counts; the first identifies the cluster in process lists. */
export const clusterOptions = (runAs: RunAs, cluster: string): readonly string[] =>
  runAs.isPrivate ? ['-D', cluster, '-D', workingDirectory] : ['-D', cluster]

/** A program's working directory, its input (absent: none), and its output. */
export interface Surroundings {
  readonly directory: string
  readonly input?: 'pipe'
  readonly output: number | 'pipe'
}

/** Starts a program in its own session, so that a terminal's Ctrl-C only reaches the server. */
export function spawnAs(
  { owner, programs }: RunAs,
  program: string,
  args: readonly string[],
  { directory, input, output }: Surroundings,
): ChildProcess {
  if (owner?.uid === 0) {
    throw new StartError(
      `PostgreSQL cannot run as root, which owns ${directory}: give it to another user with chown -R, choose another directory with --data-dir, or use --database-url`,
    )
  }
  // The server's variables may hold secrets and settings of libpq: PostgreSQL receives none of them.
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' }
  const stdio = [input ?? 'ignore', output, output] as const
  return spawn(join(programs, program), args, { ...owner, cwd: directory, env, detached: true, stdio: [...stdio] })
}

/** Sends a signal to a process of PostgreSQL; false if there is no such process. */
export function signalAs(
  owner: User | null,
  pid: number,
  signal: 'SIGINT' | 'SIGTERM' | 'SIGQUIT' | 'SIGKILL',
): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
    if (codeOf(error) !== 'EPERM' || owner === null) throw error
  }
  // Root without CAP_KILL may not send it, but the owner may.
  const script = 'kill -s "$1" "$2"'
  return spawnSync('/bin/sh', ['-c', script, 'sh', signal.slice(3), String(pid)], { ...owner, cwd: '/' }).status === 0
}

/** Whether the user may enter every parent directory. */
function isReachable(directory: string, user: User): boolean {
  const { mode, uid, gid } = statSync(directory)
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
  const parent = dirname(directory)
  return (mode & bit) !== 0 && (parent === directory || isReachable(parent, user))
}
