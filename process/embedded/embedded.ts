// The PostgreSQL that runs if no database is configured: created on first use, owned by one server at a time, stopped with
// it, and restarted when it dies. Its directory holds `postgres/` (the cluster), `postgres.log`, `database-url` (for the
// user's own tools; it contains the password) and `server.lock`.

import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../../core/errors/start-error.ts'
import { messageOf } from '../../core/errors/thrown.ts'
import type { Observer } from '../../core/log/observe.ts'
import { databaseStartMillis, databaseStopMillis, takeoverMillis } from '../tuning.ts'
import { causeIn, requireOwnVersion } from './cluster-checks.ts'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'
import { findPrograms } from './embedded-binaries.ts'
import { ownerRole, ownerStatements, superuserRole, templateStatements } from './embedded-owner.ts'
import { endOrphan, readPostmaster } from './postmaster.ts'
import { clusterOptions, findRunAs, nameInside, type RunAs, type Surroundings, signalAs, spawnAs } from './run-as.ts'
import { makeDirectory, usingDirectory } from './using-directory.ts'

export interface EmbeddedOptions {
  readonly directory: string
  /** The connections that the server may open; a few more are kept free for other programs. */
  readonly connections: number
  readonly observe: Observer
  /** Settings of PostgreSQL besides the standard ones. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Statements that the superuser runs when the cluster is made. */
  readonly setup?: readonly string[]
  /** Whether a running PostgreSQL keeps the process alive; absent: yes. */
  readonly keepsProcess?: boolean
}

/** `fast` closes connections and flushes everything; `immediate` leaves that to recovery. */
export type StopMode = 'fast' | 'immediate'

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** A Unix socket's path has room for 103 bytes on macOS, 107 on Linux. */
const longestSocketPath = 103

type Program = 'postgres' | 'initdb'

export class EmbeddedPostgres {
  readonly #options: EmbeddedOptions
  readonly #root: string
  readonly #data: string
  #connection = newConnection()
  #runAs: RunAs | null = null
  #lock: DirectoryLock | null = null
  #child: ChildProcess | null = null
  #starting: Promise<void> | null = null
  /** Whether it accepts TCP connections, too. */
  #listens = true
  #stopping = false

  constructor(options: EmbeddedOptions) {
    this.#options = options
    this.#root = resolve(options.directory)
    this.#data = join(this.#root, 'postgres')
  }

  /** Starts the PostgreSQL of the directory, and creates it on first use. */
  start(): Promise<void> {
    this.#starting = this.#start()
    return this.#starting
  }

  /** The server's own URL: the Unix socket if its path is short enough, because it is faster than TCP. */
  get url(): string {
    if (!this.#hasSocket) return this.#connection.href
    const place = `host=${encodeURIComponent(this.#data)}&port=${this.#connection.port}`
    return `postgres://${ownerRole}@localhost/postgres?${place}`
  }

  /** The file with the URL for the user's own tools. */
  get urlFile(): string {
    return join(this.#root, 'database-url')
  }

  /** Stops PostgreSQL, even while it starts, and releases the directory; stops it harder after the timeout in milliseconds. */
  async stop(mode: StopMode = 'fast', millis: number = databaseStopMillis[mode]): Promise<void> {
    this.#stopping = true
    await this.#end(mode, millis)
    await this.#starting?.catch(() => {})
    this.#lock?.release()
  }

  /** The last resort of a process about to end: tells PostgreSQL to stop without waiting for it. */
  abandon(): void {
    this.#stopping = true
    if (this.#child) this.#signal(this.#child, 'SIGINT')
  }

  get #logFile(): string {
    return join(this.#root, 'postgres.log')
  }

  get #hasSocket(): boolean {
    const path = join(this.#data, `.s.PGSQL.${this.#connection.port}`)
    return process.platform !== 'win32' && Buffer.byteLength(path) <= longestSocketPath
  }

  #readConnection(): URL | null {
    const text = existsSync(this.urlFile) ? readFileSync(this.urlFile, 'utf8').trim() : ''
    return URL.canParse(text) ? new URL(text) : null
  }

  async #start(): Promise<void> {
    try {
      await usingDirectory(this.#root, async () => {
        makeDirectory(this.#root)
        this.#lock = await lockDirectory(this.#root)
        this.#runAs = await findRunAs(this.#data, join(await findPrograms(), 'postgres'))
        this.#connection = this.#readConnection() ?? this.#connection
        await this.#prepare()
      })
      await this.#launch()
    } catch (error) {
      this.#lock?.release()
      throw error
    }
  }

  #spawn(program: Program, args: readonly string[], surroundings: Surroundings): ChildProcess {
    if (this.#stopping) throw new StartError('The start of the embedded PostgreSQL was interrupted')
    this.#child = spawnAs(this.#runAs!, program, args, surroundings)
    return this.#child
  }

  async #prepare(): Promise<void> {
    this.#removeUnfinished()
    if (existsSync(this.#logFile) && statSync(this.#logFile).size > 10_000_000) {
      renameSync(this.#logFile, `${this.#logFile}.1`)
    }
    if (!existsSync(this.#data)) await this.#make()
    requireOwnVersion(this.#data)
  }

  /** Removes the unfinished cluster of a killed server, whose last process may still be writing there. */
  #removeUnfinished(): void {
    for (const name of readdirSync(this.#root).filter((entry) => entry.startsWith('making-'))) {
      try {
        rmSync(join(this.#root, name), { recursive: true, force: true })
      } catch {
        // The next start removes it.
      }
    }
  }

  /** Creates the cluster in another directory and moves it into place when complete: a kill in between leaves no half of one. */
  async #make(): Promise<void> {
    const place = join(this.#root, `making-${randomBytes(6).toString('hex')}`)
    const passwordFile = join(place, 'password')
    const cluster = join(place, 'postgres')
    const { owner } = this.#runAs!
    try {
      for (const directory of [place, cluster]) mkdirSync(directory, { mode: 0o700 })
      writeFileSync(passwordFile, this.#connection.password, { mode: 0o600 })
      if (owner) for (const path of [place, passwordFile, cluster]) chownSync(path, owner.uid, owner.gid)
      await this.#initdb(cluster)
      await this.#asSuperuser(cluster, 'postgres', [...ownerStatements, ...(this.#options.setup ?? [])])
      await this.#asSuperuser(cluster, 'template1', templateStatements)
      this.#rememberConnection()
      renameSync(cluster, this.#data)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }

  #initdb(cluster: string): Promise<string> {
    const args = [
      `--pgdata=${nameInside(this.#runAs!, cluster)}`,
      `--username=${superuserRole}`,
      `--pwfile=${join('..', 'password')}`,
      // The socket is in the cluster's directory, which no other user may enter.
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      // The built-in locale is the same on every machine, so a cluster can be moved.
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]
    return this.#run('initdb', cluster, args)
  }

  /** Runs statements in single-user mode, without a login; returns PostgreSQL's output. */
  #asSuperuser(cluster: string, database: string, statements: readonly string[]): Promise<string> {
    const parameters = { ...this.#options.parameters, exit_on_error: 'on', jit: 'off' }
    const place = clusterOptions(this.#runAs!, cluster)
    const args = ['--single', '-j', ...place, ...asArguments(parameters), database]
    return this.#run('postgres', cluster, args, statements.map((statement) => `${statement};\n\n`).join(''))
  }

  /** Runs a program until it ends; returns its output. */
  #run(program: Program, directory: string, args: readonly string[], input?: string): Promise<string> {
    const piped = input === undefined ? {} : ({ input: 'pipe' } as const)
    const child = this.#spawn(program, args, { directory, output: 'pipe', ...piped })
    let output = ''
    const read = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    // A program that ended early reports the reason itself.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    return new Promise((done, failed) => {
      child.on('error', failed)
      child.on('close', (code) => {
        if (code === 0) done(output)
        else failed(new StartError(`The embedded PostgreSQL could not be made in ${this.#root}: ${causeIn(output)}`))
      })
    })
  }

  #rememberConnection(): void {
    const temporary = `${this.urlFile}.new`
    writeFileSync(temporary, `${this.#connection.href}\n`, { mode: 0o600 })
    renameSync(temporary, this.urlFile)
  }

  /** Starts PostgreSQL and waits until it accepts connections; `again`: after a crash, when the server already uses its address. */
  async #launch(again = false): Promise<void> {
    await this.#endOrphan()
    for (const started = Date.now(); ; await sleep(100)) {
      if (again) await this.#keepPort()
      else await this.#choosePort()
      const failure = await this.#attempt()
      if (failure === null) return
      // Backends of a killed PostgreSQL are still ending, or the port was in use a moment ago.
      const passing = /shared memory block .* is still in use|Address already in use/.test(failure)
      if (!passing || Date.now() - started > takeoverMillis) {
        throw new StartError(
          `The embedded PostgreSQL does not start: ${causeIn(failure)} (its log is ${this.#logFile}; use --data-dir for a new one)`,
        )
      }
    }
  }

  async #endOrphan(): Promise<void> {
    const orphan = await endOrphan(this.#data, this.#runAs!.owner)
    if (orphan !== null) this.#log('warn', `ended PostgreSQL (process ${orphan}) that an earlier server left running`)
  }

  /** Keeps the previous port while it is free, so that the user's tools keep working. */
  async #choosePort(): Promise<void> {
    const current = Number(this.#connection.port)
    const port = (current > 0 && (await freePort(current))) || (await freePort(0))
    if (port === current) return
    this.#connection.port = String(port)
    this.#rememberConnection()
  }

  /** If the port was taken meanwhile, only the server's socket remains. */
  async #keepPort(): Promise<void> {
    const { port } = this.#connection
    this.#listens = !this.#hasSocket || (await freePort(Number(port))) !== null
    if (!this.#listens)
      this.#log('warn', `port ${port} is in use: until the next start only the server can reach PostgreSQL`)
  }

  /** One attempt to start: null on success, otherwise PostgreSQL's message. */
  async #attempt(): Promise<string | null> {
    const log = openSync(this.#logFile, 'a', 0o600)
    const before = statSync(this.#logFile).size
    const child = this.#spawn('postgres', this.#arguments(), { directory: this.#data, output: log })
    closeSync(log)
    let ended = false
    child.once('error', () => {
      ended = true
    })
    child.once('exit', () => {
      ended = true
    })
    const started = Date.now()
    while (!ended) {
      const found = readPostmaster(this.#data)
      if (found?.pid === child.pid && found?.status === 'ready') {
        child.once('exit', (code, signal) => this.#onExit(child, code, signal))
        if (this.#options.keepsProcess === false) child.unref()
        return null
      }
      if (Date.now() - started > databaseStartMillis) await this.#end('fast', databaseStopMillis.fast)
      await sleep(5)
    }
    return readFileSync(this.#logFile).subarray(before).toString()
  }

  #arguments(): string[] {
    const parameters = {
      port: this.#connection.port,
      listen_addresses: this.#listens ? '127.0.0.1' : '',
      unix_socket_directories: this.#hasSocket ? nameInside(this.#runAs!, this.#data) : '',
      max_connections: String(Math.max(100, this.#options.connections + 30)),
      // Compiling many short statements costs more than it gains.
      jit: 'off',
      // For logical decoding.
      wal_level: 'logical',
      ...this.#options.parameters,
    }
    return [...clusterOptions(this.#runAs!, this.#data), ...asArguments(parameters)]
  }

  /** Restarts PostgreSQL after an unexpected end, with growing pauses while that fails. */
  async #onExit(child: ChildProcess, code: number | null, signal: string | null): Promise<void> {
    if (this.#stopping || this.#child !== child) return
    this.#log('error', `PostgreSQL ended (${signal ?? `exit code ${code}`}), starting it again`)
    for (let delay = 100; !this.#stopping; delay = Math.min(delay * 2, 5_000)) {
      try {
        await this.#launch(true)
        this.#log('info', 'PostgreSQL is back')
        return
      } catch (error) {
        this.#log('error', messageOf(error))
        await sleep(delay)
      }
    }
  }

  async #end(mode: StopMode, millis: number): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<true>((done) => child.once('exit', () => done(true)))
    child.ref()
    this.#signal(child, signals[mode])
    if (await Promise.race([gone, sleep(millis, false, { ref: false })])) return
    if (mode === 'fast') return this.#end('immediate', databaseStopMillis.immediate)
    this.#signal(child, 'SIGKILL')
    await gone
  }

  #signal(child: ChildProcess, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void {
    const runs = child.pid !== undefined && child.exitCode === null && child.signalCode === null
    if (runs) signalAs(this.#runAs!.owner, child.pid!, signal)
  }

  #log(level: 'info' | 'warn' | 'error', message: string): void {
    this.#options.observe.log({ type: 'embedded-postgres', level, detail: { message } })
  }
}

const asArguments = (parameters: Readonly<Record<string, string>>): string[] =>
  Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const newConnection = (): URL => {
  const url = new URL(`postgres://${ownerRole}@127.0.0.1/postgres`)
  url.password = randomBytes(18).toString('base64url')
  return url
}

/** A free port: the wanted one, or any for 0; null if it is in use. */
function freePort(wanted: number): Promise<number | null> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(null))
    probe.listen({ host: '127.0.0.1', port: wanted, exclusive: true }, () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : null))
    })
  })
}
