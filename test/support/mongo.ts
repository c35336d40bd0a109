// A server with MongoDB's protocol for one test, which may kill it and start it again.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from './cleanup.ts'
import { testDatabase } from './database.ts'
import { findMongo } from './mongo-programs.ts'
import { makeTemporaryDirectory } from './postgres.ts'

export interface TestMongo {
  /** The URL of the test's own database. */
  readonly url: string
  /** Kills it; connections to a shared server are cut instead. */
  kill(): Promise<void>
  /** Starts it again on the same port, with the same data. */
  start(): Promise<void>
}

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A MongoDB that has not been started. */
export async function testMongo(t: TestContext): Promise<TestMongo> {
  const found = await findMongo()
  const port = await freePort()
  const database = `trellis_${randomBytes(6).toString('hex')}`
  if (found.kind === 'given') return cutOff(t, found.url, { port, database })
  const url = `mongodb://127.0.0.1:${port}/${database}`
  const args = found.kind === 'mongod' ? mongodArguments(t, port) : await ferretArguments(t, port)
  let child: ChildProcess | null = null
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  atEnd(t, kill)
  const start = async () => {
    child = spawn(found.program, args, { stdio: 'ignore' })
    await listening(port, child)
  }
  return { url, kill, start }
}

/** A running MongoDB. */
export async function startMongo(t: TestContext): Promise<TestMongo> {
  const mongo = await testMongo(t)
  await mongo.start()
  return mongo
}

function ownDirectory(t: TestContext): string {
  const directory = makeTemporaryDirectory()
  atEnd(t, async () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const mongodArguments = (t: TestContext, port: number): string[] => [
  ...['--dbpath', ownDirectory(t), '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--quiet'],
]

async function ferretArguments(t: TestContext, port: number): Promise<string[]> {
  const { url } = await testDatabase(t)
  const quiet = ['--telemetry=disable', '--debug-addr=-', '--state-dir=-', '--log-level=error']
  return [`--postgresql-url=${url}`, `--listen-addr=127.0.0.1:${port}`, ...quiet]
}

/** Resolves when a server listens. */
export async function listening(port: number, child: ChildProcess): Promise<void> {
  for (const started = Date.now(); ; await sleep(20)) {
    const socket = connect({ host: '127.0.0.1', port })
    // It rejects on an error of the socket.
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    if (child.exitCode !== null || Date.now() - started > 30_000)
      throw new Error('the MongoDB of the test does not start')
  }
}

/** A server that others may use too, behind a port for the test. */
async function cutOff(
  t: TestContext,
  given: string,
  { port, database }: { port: number; database: string },
): Promise<TestMongo> {
  const url = new URL(given)
  const target = { host: url.hostname, port: Number(url.port || 27017) }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    }
    client.pipe(upstream).pipe(client)
  })
  const kill = async () => {
    if (!server.listening) return
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  atEnd(t, kill)
  url.host = `127.0.0.1:${port}`
  url.pathname = `/${database}`
  url.searchParams.set('directConnection', 'true')
  return {
    url: url.href,
    kill,
    start: async () => {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
