// The real server as a separate process, for tests of the process: starting, signals, kills.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readPostmaster } from '../../process/embedded/postmaster.ts'
import { processIdentity } from '../../process/embedded/process-identity.ts'
import { atEnd } from './cleanup.ts'
import { makeTemporaryDirectory } from './postgres.ts'

const entry = new URL('../../bin/trellis.ts', import.meta.url).pathname

/** The server itself, as a command. */
export const serverCommand: readonly string[] = [process.execPath, entry]

/** `npm start` with further arguments. */
export const npmStart = ['npm', 'start', '--silent', '--prefix', join(import.meta.dirname, '../..'), '--'] as const

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface TrellisProcess {
  readonly pid: number
  /** The URL it serves; rejects when it ends before it listens. */
  ready(): Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Its complete output, and its exit code or signal. */
  readonly ended: Promise<Ended>
  readonly stdout: string
  readonly stderr: string
  /** Waits until its log or banner matches. */
  output(pattern: RegExp): Promise<RegExpExecArray>
}

export interface SpawnOptions {
  readonly cwd?: string
  /** The command to start instead of the server itself. */
  readonly command?: readonly string[]
}

const timeoutMillis = 120_000

/** Starts the server; it is ended with the test when it still runs. */
export function spawnTrellis(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: SpawnOptions = {},
): TrellisProcess {
  const [program, ...rest] = [...(options.command ?? serverCommand), ...args]
  const child = spawn(program!, rest, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    // No variables of the tests' environment: neither options nor settings of libpq.
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    written.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    written.stderr += chunk
  })
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal, ...written }))
  })
  atEnd(t, () => endProcess(child, ended))
  const output = async (pattern: RegExp) => {
    for (const started = Date.now(); ; await sleep(10)) {
      const found = pattern.exec(written.stderr) ?? pattern.exec(written.stdout)
      if (found) return found
      const gone = child.exitCode !== null || child.signalCode !== null
      if (gone || Date.now() - started > timeoutMillis) {
        throw new Error(
          `${pattern} did not appear: ${gone ? 'ended' : 'still runs'}\n${written.stdout}${written.stderr}`,
        )
      }
    }
  }
  return {
    pid: child.pid!,
    ended,
    output,
    kill: (signal) => child.kill(signal),
    ready: async () => (await output(/Listening +(\S+)/))[1]!,
    get stdout() {
      return written.stdout
    },
    get stderr() {
      return written.stderr
    },
  }
}

async function endProcess(child: ChildProcess, ended: Promise<Ended>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMillis)
  await ended
  clearTimeout(timer)
}

/** A directory for the data of servers, removed with the test, as is a PostgreSQL that a killed server left in it. */
export function temporaryDirectory(t: TestContext): string {
  const directory = makeTemporaryDirectory()
  atEnd(t, async () => {
    const left = embeddedPid(directory)
    if (left !== null) {
      process.kill(left, 'SIGQUIT')
      while (embeddedPid(directory) === left) await sleep(10)
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  return directory
}

/** A directory whose database a first start has made. */
let started: Promise<string> | undefined

/** A data directory after a first start, for tests of later ones: a copy, since making its database takes long. */
export async function startedDirectory(t: TestContext): Promise<string> {
  started ??= startOnce()
  const directory = temporaryDirectory(t)
  // Unlike Node's copy, it keeps the owner.
  await promisify(execFile)('cp', ['-a', `${await started}/.`, directory])
  const urlFile = join(directory, 'database-url')
  const url = new URL(readFileSync(urlFile, 'utf8').trim())
  url.port = String(await freePort())
  writeFileSync(urlFile, `${url.href}\n`)
  return directory
}

async function startOnce(): Promise<string> {
  const directory = makeTemporaryDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const [program, ...rest] = serverCommand
  const args = [...rest, '--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']
  const child = spawn(program!, args, { env: { PATH: process.env['PATH'] ?? '' }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((done) => child.once('close', done))
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
    if (output.includes('Listening')) child.kill('SIGTERM')
  })
  const code = await ended
  if (code !== 0) throw new Error(`The first start ended with ${code}\n${output}`)
  return directory
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** The process id of the PostgreSQL that runs in a data directory; null without one. */
export function embeddedPid(directory: string): number | null {
  const pid = readPostmaster(join(directory, 'postgres'))?.pid
  return pid !== undefined && processIdentity(pid) !== null ? pid : null
}
