// PostgreSQL's own lock file, and how to end a PostgreSQL whose server was killed.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../core/errors/start-error.ts'
import { orphanStopMillis } from '../tuning.ts'
import { processCommand, processIdentity } from './process-identity.ts'
import { signalAs } from './run-as.ts'
import type { User } from './system-user.ts'

/** The content of a data directory's lock file. */
export interface Postmaster {
  readonly pid: number
  /** `starting`, `ready`, `stopping`... */
  readonly status: string
  /** Whether it runs in single-user mode, for the program that started it. */
  readonly isSingleUser: boolean
}

const lockFile = (dataDirectory: string): string => join(dataDirectory, 'postmaster.pid')

/** Reads the lock file; null if it does not exist. */
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

/**
 * Shuts down the PostgreSQL that a killed server left in this directory, without losing data, and returns its process id.
 * If it is already dead, removes the files that would keep the next one from starting.
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
    if (Date.now() - started < orphanStopMillis) continue
    throw new StartError(
      `PostgreSQL (process ${pid}) of an earlier server still runs in ${dataDirectory} and does not stop: end it first`,
    )
  }
}

/**
 * The process id in the lock files belongs to another program now, or to a zombie. PostgreSQL refuses to start if that
 * process exists, unless it is its own parent, so the file gets this process's id. PostgreSQL's check for running backends
 * stays active, and the socket's lock only protects this same cluster.
 */
function disownLockFiles(dataDirectory: string): void {
  const rest = readFileSync(lockFile(dataDirectory), 'utf8').split('\n').slice(1)
  writeFileSync(lockFile(dataDirectory), [process.pid, ...rest].join('\n'))
  for (const name of readdirSync(dataDirectory)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(dataDirectory, name), { force: true })
  }
}
