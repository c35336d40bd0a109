// A connection to the database that breaks while the server starts, wherever it has got to.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { eventually } from '../support/waiting.ts'

interface Fragile {
  readonly url: string
  /** Bytes that PostgreSQL has sent. */
  readonly passed: number
}

/** A proxy of a database. After a number of bytes from it, or a text to it, all connections break; then it may come back. */
async function fragile(
  t: TestContext,
  databaseUrl: string,
  breaksAt: number | string,
  comesBack: boolean,
): Promise<Fragile> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let passed = 0
  let isBroken = false
  const breakAll = () => {
    isBroken = true
    for (const socket of open) socket.destroy()
  }
  const proxy = createServer((client) => {
    if (isBroken && !comesBack) return client.resetAndDestroy()
    const host = target.searchParams.get('host') ?? target.hostname
    const port = target.searchParams.get('port') ?? target.port
    const server = host.startsWith('/')
      ? createConnection(`${host}/.s.PGSQL.${port}`)
      : createConnection(Number(port), host)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (data) => {
      if (!isBroken && typeof breaksAt === 'string' && data.includes(breaksAt)) breakAll()
      else server.write(data)
    })
    server.on('data', (data) => {
      passed += data.length
      if (isBroken || typeof breaksAt === 'string' || passed < breaksAt) client.write(data)
      else breakAll()
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  atEnd(t, () => {
    proxy.close()
    for (const socket of open) socket.destroy()
  })
  const { port } = proxy.address() as { port: number }
  return {
    url: `postgres://${target.username}:${target.password}@127.0.0.1:${port}${target.pathname}?sslmode=disable`,
    get passed() {
      return passed
    },
  }
}

/** A database in which a start has much work. */
const used = (t: TestContext) =>
  testDatabase(t, { sql: 'drop schema trellis cascade; create table item (id serial primary key)' })

const serving = (url: string, retries: number) => [
  ...['--database-url', url, '--retries', String(retries)],
  ...['--server-host', '127.0.0.1', '--server-port', '0'],
]

/** The number of bytes that a start reads from PostgreSQL. */
async function wholeStart(t: TestContext): Promise<number> {
  const proxy = await fragile(t, (await used(t)).url, Number.POSITIVE_INFINITY, true)
  const server = spawnTrellis(t, serving(proxy.url, 0))
  await server.ready()
  const { passed } = proxy
  server.kill('SIGTERM')
  await server.ended
  return passed
}

const parts = [0, 0.1, 0.3, 0.6, 0.9]

test('a connection that breaks during a start is replaced', async (t) => {
  const whole = await wholeStart(t)
  for (const part of parts) {
    const { url } = await fragile(t, (await used(t)).url, Math.ceil(whole * part) || 1, true)
    const server = spawnTrellis(t, serving(url, 1))
    const { op, graphql } = clientOf(await server.ready())
    // The last bytes of a start may be those of the first connections that wait for requests.
    const served = await eventually(async () => {
      await op('track_table', 'item').catch(() => {})
      const { data } = await graphql<{ data?: unknown }>('{ item { id } }')
      return data
    })
    assert.deepEqual(served, { item: [] }, `at ${part}`)
    assert.match(server.stdout, /trying again|metadata/, `at ${part}`)
    server.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
  }
})

test('a start does not wait for the entries of jobs in MongoDB', async (t) => {
  const { url } = await fragile(t, (await used(t)).url, 'job_catalog, pg_catalog', true)
  const server = spawnTrellis(t, [...serving(url, 1), '--mongodb-url', 'mongodb://127.0.0.1:1/jobs'])
  const { op } = clientOf(await server.ready())
  await op('create_cron_trigger', {
    name: 'hourly',
    webhook: 'http://127.0.0.1:1',
    schedule: '@hourly',
    include_in_metadata: true,
  })
  await server.output(/MongoDB, which wakes jobs, does not answer/)
})

test('a start whose database went away ends with one line', async (t) => {
  const whole = await wholeStart(t)
  for (const part of [0, 0.3, 0.5, 0.7]) {
    const { url } = await fragile(t, (await used(t)).url, Math.ceil(whole * part) || 1, false)
    const { code, stderr } = await spawnTrellis(t, serving(url, part === 0 ? 0 : 1)).ended
    assert.equal(code, 1, `at ${part}`)
    assert.match(
      stderr,
      /^Fatal Error: PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached( after 2 attempts)? \(the connection broke\): check that it runs and --database-url, or raise --retries\n$/,
      `at ${part}`,
    )
  }
})

/** PostgreSQL's message when it has no free connection. */
function refusal(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0')
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A proxy that passes a number of connections to a database, and refuses further ones until there is room again. */
async function crowded(t: TestContext, databaseUrl: string, room: number) {
  const proxy = await startProxy(t, databaseUrl)
  const { port } = new URL(proxy.url)
  const state = { room, refused: 0 }
  const door = createServer((client) => {
    client.on('error', () => {})
    if (state.room-- <= 0) {
      state.refused++
      client.once('data', () => client.end(refusal()))
      return
    }
    const server = createConnection(Number(port), '127.0.0.1').on('error', () => {})
    client.pipe(server).pipe(client)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  atEnd(t, () => door.close())
  const url = new URL(proxy.url)
  url.search = '?sslmode=disable'
  url.port = String((door.address() as AddressInfo).port)
  return { state, url: url.href }
}

test('a start waits for a connection when PostgreSQL becomes full', async (t) => {
  const { state, url } = await crowded(
    t,
    (await testDatabase(t, { sql: 'create table item (id serial primary key)' })).url,
    1,
  )
  const server = spawnTrellis(t, [...serving(url, 3), '--pool-timeout', '1'])
  await eventually(() => state.refused > 12)
  state.room = 100
  const { op } = clientOf(await server.ready())
  await op('track_table', 'item')
})

test('a start that gets no connection ends with one line', async (t) => {
  for (const room of [0, 1]) {
    const { url } = await crowded(t, (await testDatabase(t)).url, room)
    const { code, stderr } = await spawnTrellis(t, [...serving(url, 1), '--pool-timeout', '1']).ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Fatal Error: PostgreSQL at 127\.0\.0\.1:\d+ gives no connection after 2 attempts \(sorry, too many clients already\): close some connections, raise max_connections, or raise --retries\n$/,
    )
  }
})
