// Processes that the bench starts, and the system's figures about them.

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environment } from '../../core/options/environment.ts'

/** The programs and resources that end with the bench; the last one to start ends first. */
export class Scope {
  readonly #endings: (() => unknown)[] = []
  #closed: Promise<void> | null = null

  get isClosed(): boolean {
    return this.#closed !== null
  }

  defer(ending: () => unknown): void {
    this.#endings.push(ending)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    for (const ending of this.#endings.toReversed()) await ending()
  }
}

/** A running program of this repository. */
export interface Program {
  readonly pid: number
  readonly child: ChildProcess
  /** The text that it has written to stderr. */
  readonly errors: () => string
  stop(): Promise<void>
}

/** The directory in which a program runs, and the scope that ends it. */
export interface Surroundings {
  readonly scope: Scope
  /** Holds no configuration file. */
  readonly directory: string
}

/**
 * Starts a TypeScript file on the node that runs the bench, without settings from the environment; its stdout is not
 * read.
 */
export function startProgram(
  file: URL,
  args: readonly string[],
  { scope, directory }: Surroundings,
  channel: 'ipc' | 'ignore' = 'ignore',
): Program {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    cwd: directory,
    env: { PATH: environment.PATH },
    stdio: ['ignore', 'ignore', 'pipe', channel],
  })
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-10_000)
  })
  const gone = new Promise<void>((done) => {
    child.once('exit', () => done())
    child.once('error', () => done())
  })
  const endAtExit = () => child.kill()
  process.once('exit', endAtExit)
  gone.then(() => process.off('exit', endAtExit))
  const stop = () => stopChild(child, gone)
  scope.defer(stop)
  return { pid: child.pid ?? 0, child, errors: () => errors, stop }
}

const stopTimeout = 30_000

async function stopChild(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.kill('SIGTERM')
  const late = await Promise.race([gone.then(() => false), sleep(stopTimeout, true, { ref: false })])
  if (late) child.kill('SIGKILL')
  await gone
}

/** An unused port. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer()
    probe.once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => found(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100

interface Status {
  readonly parent: number
  readonly ownTicks: number
  /** Of children that have ended. */
  readonly endedChildrenTicks: number
}

/** The process' line of /proc; null if there is no such process. */
function readStatus(pid: number | string): Status | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in parentheses, which may hold spaces.
    const fields = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return {
      parent: fields[1]!,
      ownTicks: fields[11]! + fields[12]!,
      endedChildrenTicks: fields[13]! + fields[14]!,
    }
  } catch {
    return null
  }
}

/** Seconds of processor time that a process has used; null on systems without this figure. */
export function cpuSeconds(pid: number): number | null {
  const status = readStatus(pid)
  return status && status.ownTicks / ticksPerSecond
}

/** Seconds of processor time that a process, its children, and those that have ended have used: of the postmaster, all of PostgreSQL. */
export function cpuSecondsWithChildren(pid: number): number | null {
  const status = readStatus(pid)
  if (!status) return null
  let ticks = status.ownTicks + status.endedChildrenTicks
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? readStatus(name) : null
    if (child?.parent === pid) ticks += child.ownTicks
  }
  return ticks / ticksPerSecond
}

/** Bytes of memory of a process; null on systems without this figure. */
export function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}
