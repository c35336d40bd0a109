// A rolling update of two instances behind HAProxy with the configuration of deploy/: no request is lost under load.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Pool } from 'undici'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { findProgram } from './programs.ts'

const haproxy = findProgram('haproxy')

const adminSecret = 'sesame'
const headers = { 'x-service-admin-secret': adminSecret }

const json = { 'content-type': 'application/json' }

type Server = 'first' | 'second'

interface Proxy {
  /** The socket that clients connect to. */
  readonly socketPath: string
  /** Whether a server gets new requests, and how many requests run there. */
  stateOf(server: Server): Promise<{ readonly status: string; readonly running: number }>
  /** Sends the requests of a server to another address. */
  move(server: Server, address: string): Promise<void>
}

/** Starts HAProxy with the file of deploy/, and checks that are more frequent. */
async function startProxy(t: TestContext, addresses: Readonly<Record<'FIRST' | 'SECOND', string>>): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), 'haproxy-'))
  const file = join(directory, 'haproxy.cfg')
  const given = readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8')
  writeFileSync(file, given.replace('inter 1s', 'inter 100ms'))
  const [socketPath, stats] = [join(directory, 'front'), join(directory, 'stats')]
  const env = { ...process.env, ...addresses, LISTEN: `unix@${socketPath}`, STATS_SOCKET: stats }
  const child = spawn(haproxy!, ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'exit')
  atEnd(t, async () => {
    child.kill()
    await ended
    rmSync(directory, { recursive: true, force: true })
  })
  const ask = async (command: string) => {
    const socket = connect(stats)
    socket.end(`${command}\n`)
    return await text(socket)
  }
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${(await said).join('')}`)
    return (await ask('show info').catch(() => '')).includes('HAProxy')
  })
  return {
    socketPath,
    async move(server, address) {
      const [host, port] = address.split(':')
      await ask(`set server trellis/${server} addr ${host} port ${port}`)
    },
    async stateOf(server) {
      const lines = (await ask('show stat')).split('\n').map((line) => line.split(','))
      const names = lines[0]!.map((name) => name.replace('# ', ''))
      const row = lines.find(([backend, name]) => backend === 'trellis' && name === server)!
      const value = (name: string) => row[names.indexOf(name)] ?? ''
      return { status: value('status'), running: Number(value('scur')) }
    },
  }
}

/** Starts clients, each of which sends one request after the other until the load ends. */
function startLoad(t: TestContext, socketPath: string) {
  const pool = new Pool('http://trellis', { socketPath, connections: 6, pipelining: 1 })
  atEnd(t, () => pool.destroy())
  const lost: string[] = []
  let [isOver, answered, inserted] = [false, 0, 0]
  const send = async (query: string) => {
    const body = JSON.stringify({ query })
    const answer = await pool.request({ method: 'POST', path: '/v1/graphql', headers: { ...headers, ...json }, body })
    const said = await answer.body.text()
    if (answer.statusCode !== 200 || !said.includes('"data"')) lost.push(`${answer.statusCode} ${said}`)
    answered++
  }
  const client = async (number: number) => {
    while (!isOver) {
      const isMutation = number % 2 === 0
      if (isMutation) inserted++
      const query = isMutation
        ? 'mutation { insert_ship(objects: [{}]) { affected_rows } }'
        : '{ ship(limit: 3) { id } }'
      await send(query).catch((error: Error) => lost.push(error.message))
    }
  }
  const clients = Array.from({ length: 6 }, (_, number) => client(number))
  return {
    answered: () => answered,
    async end() {
      isOver = true
      await Promise.all(clients)
      return { lost, inserted }
    },
  }
}

const skip = haproxy ? false : 'there is no HAProxy here'

test('a rolling update of two instances behind HAProxy loses no request', { skip, timeout: 120_000 }, async (t) => {
  const database = await testDatabase(t)
  await database.sql('create table ship (id serial primary key)')
  const start = () => startTrellis(t, { database, settings: { adminSecret, callerShare: 100 } })
  const addressOf = ({ url }: TestTrellis) => new URL(url).host
  const instances: Record<Server, TestTrellis> = { first: await start(), second: await start() }
  await instances.first.op('track_table', 'ship', { headers })
  const proxy = await startProxy(t, { FIRST: addressOf(instances.first), SECOND: addressOf(instances.second) })
  const isUp = async (server: Server) => (await proxy.stateOf(server)).status === 'UP'
  await eventually(async () => (await isUp('first')) && (await isUp('second')))
  await eventually(
    async () => !('errors' in Object(await instances.second.graphql('{ ship { id } }', {}, { headers }))),
  )
  const load = startLoad(t, proxy.socketPath)
  const serveSome = async () => {
    const before = load.answered()
    await eventually(() => load.answered() > before + 50)
  }
  await serveSome()
  for (const server of ['first', 'second'] as const) {
    const { engine } = instances[server]
    await engine.drain()
    await eventually(async () => {
      const { status, running } = await proxy.stateOf(server)
      return status === 'DOWN' && running === 0
    })
    await engine.close()
    await serveSome()
    instances[server] = await start()
    await proxy.move(server, addressOf(instances[server]))
    await eventually(() => isUp(server))
    await serveSome()
  }
  const { lost, inserted } = await load.end()
  assert.deepEqual(lost, [])
  assert.deepEqual(await database.sql('select count(*)::int as number from ship'), [{ number: inserted }])
})
