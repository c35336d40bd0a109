// What PostgreSQL's own lock file tells, and what becomes of a PostgreSQL whose server was killed.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../core/errors/start-error.ts'
import { processCommand, processIdentity } from './process-identity.ts'
import { signalAs } from './run-as.ts'
import type { User } from './system-user.ts'

/** The lock file of a data directory. */
export interface Postmaster {
  readonly pid: number
  /** `starting`, `ready`, `stopping`... */
  readonly status: string
  /** Whether it serves nobody but the program that started it. */
  readonly isSingleUser: boolean
}

const lockFile = (dataDirectory: string): string => join(dataDirectory, 'postmaster.pid')

/** Reads the lock file; null when there is none. */
export function readPostmaster(dataDirectory: string): Postmaster | null {
  try {
    const lines = readFileSync(lockFile(dataDirectory), 'utf8').split('\n')
    const number = Number.parseInt(lines[0] ?? '', 10)
    if (Number.isNaN(number)) return null
    return { pid: Math.abs(number), status: lines[7]?.trim() ?? '', isSingleUser: number < 0 }
  } catch {
    return null
  }
}

const patience = 30_000

/**
 * Ends the PostgreSQL that a killed server left behind in this directory, in order, so that nothing is lost; returns its
 * number. Of one that is dead already, takes away what would keep the next one from starting.
 */
export async function endOrphan(dataDirectory: string, owner: User | null): Promise<number | null> {
  const left = readPostmaster(dataDirectory)
  if (!left) return null
  const identity = processIdentity(left.pid)
  const command = (identity && processCommand(left.pid)) ?? ''
  if (command.includes(dataDirectory)) {
    signalAs(owner, left.pid, left.isSingleUser ? 'SIGTERM' : 'SIGINT')
    await untilGone(left.pid, identity, dataDirectory)
    return left.pid
  }
  if (!/postgres|postmaster/.test(command)) disownLockFiles(dataDirectory)
  return null
}

async function untilGone(pid: number, identity: string | null, dataDirectory: string): Promise<void> {
  for (const started = Date.now(); processIdentity(pid) === identity; await sleep(10)) {
    if (Date.now() - started < patience) continue
    throw new StartError(
      `PostgreSQL (process ${pid}) of an earlier server still runs in ${dataDirectory} and does not stop: end it first`,
    )
  }
}

/**
 * The number in the lock files belongs to another program now, or to one that nobody has buried. PostgreSQL would
 * refuse to start on sight of it, but not of the process that starts it: that one takes its place. PostgreSQL's check
 * for backends that are still running stays on, and the lock of the socket has nothing to guard but that same cluster.
 */
function disownLockFiles(dataDirectory: string): void {
  const rest = readFileSync(lockFile(dataDirectory), 'utf8').split('\n').slice(1)
  writeFileSync(lockFile(dataDirectory), [process.pid, ...rest].join('\n'))
  for (const name of readdirSync(dataDirectory)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(dataDirectory, name), { force: true })
  }
}
