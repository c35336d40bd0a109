// Many clients at once, also misbehaving ones, at a server in a separate process: others are served meanwhile, and memory is
// released. `npm run soak` does it at full size.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { atEnd } from '../support/cleanup.ts'
import { clientOf, type TestClient } from '../support/client.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { librarySql, trackLibrary } from '../support/library.ts'
import { spawnTrellis } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, openApollo, type Received, subscribeWith } from './clients.ts'

const isSoak = process.env['SOAK'] !== undefined
const size = isSoak ? { crowd: 1000, rounds: 5, operations: 10_000 } : { crowd: 300, rounds: 1, operations: 4000 }
/** Bytes of heap that a server may keep. */
const spareBytes = 120_000_000
const bookById = 'subscription ($id: Int!) { book_by_pk(id: $id) { title } }'

interface Served extends TestClient {
  readonly url: string
  readonly database: TestDatabase
  /** Resident memory in bytes. */
  memory(): number
  measure(name: string): Promise<number>
  /** Fails unless an old subscriber sees a write soon. */
  isServed(): Promise<void>
}

async function startServed(t: TestContext): Promise<Served> {
  const database = await testDatabase(t, { sql: librarySql })
  const server = spawnTrellis(t, [
    ...['serve', '--database-url', database.url, '--server-host', '127.0.0.1', '--server-port', '0'],
    ...['--enabled-apis', 'metadata,graphql,metrics', '--websocket-keepalive', '1', '--response-stall-timeout', '5'],
  ])
  const url = await server.ready()
  const client = clientOf(url)
  await client.op('bulk', trackLibrary)
  const witness: Received = subscribeWith(graphqlWsClient(t, url), bookById, { id: 1 })
  await witness.atLeast(1)
  let writes = 0
  return {
    ...{ url, database, ...client },
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' })) * 1024,
    async measure(name) {
      const { text } = await client.request('/v1/metrics', { role: 'admin' })
      return Number(new RegExp(`^service_${name} (\\S+)$`, 'm').exec(text)?.[1])
    },
    async isServed() {
      const title = `Written ${++writes}`
      await database.sql('update book set title = $1 where id = 1', [title])
      await witness.until((items) => JSON.stringify(items.at(-1)).includes(`"${title}"`))
    },
  }
}

/** A cheap subscriber; resolves with its first answer. */
function join(t: TestContext, url: string, id: number): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`, ['graphql-transport-ws'])
  atEnd(t, () => socket.terminate())
  const send = (message: object) => socket.send(JSON.stringify(message))
  return new Promise((resolve, reject) => {
    socket.on('open', () => send({ type: 'connection_init' }))
    socket.on('error', reject)
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string }
      if (type === 'connection_ack')
        send({ type: 'subscribe', id: '1', payload: { query: bookById, variables: { id } } })
      else if (type === 'next') resolve(socket)
    })
  })
}

/** A crowd that reconnects at once, again and again. */
async function crowd(t: TestContext, served: Served): Promise<void> {
  const come = async () => {
    const coming = Promise.all(Array.from({ length: size.crowd }, (_, i) => join(t, served.url, i)))
    const [sockets] = await Promise.all([coming, served.isServed()])
    for (const socket of sockets) socket.terminate()
  }
  // The first run also pays for caches: code, plans, statements.
  await come()
  const before = served.memory()
  for (let round = 0; round < size.rounds; round++) await come()
  await eventually(
    async () => (await served.measure('subscribers')) === 1 && (await served.measure('websockets')) === 1,
  )
  const grown = served.memory() - before
  assert.ok(grown < spareBytes, `${grown} bytes more`)
  t.diagnostic(`${size.crowd} clients, ${size.rounds} times: ${Math.round(grown / 1e6)} MB more`)
}

/** Clients that read nothing or a byte a second, that disconnect silently, and one that sends thousands of requests. */
async function misbehaving(t: TestContext, served: Served): Promise<void> {
  const { url, database } = served
  await database.sql(`create table wide (id int primary key, content text);
    insert into wide values (1, repeat('x', 1000000))`)
  await served.op('track_table', 'wide')
  const proxy = await startProxy(t, url.replace('http', 'postgres'))
  const gone = await openApollo(t, `http://127.0.0.1:${new URL(proxy.url).port}`)
  gone.send({ type: 'start', id: '1', payload: { query: 'subscription { book { title } }' } })
  await gone.next()
  proxy.swallow()
  const before = served.memory()
  const slow = await Promise.all(Array.from({ length: 20 }, () => openApollo(t, url)))
  for (const [i, { socket, send }] of slow.entries()) {
    send({ type: 'start', id: '1', payload: { query: 'subscription { wide { id content } }' } })
    const { _socket: raw } = socket as unknown as { _socket: { pause(): void; read(bytes: number): unknown } }
    raw.pause()
    if (i % 2 === 0) continue
    const reading = setInterval(() => raw.read(1), 1000)
    atEnd(t, () => clearInterval(reading))
  }
  const asking = await openApollo(t, url)
  for (let id = 0; id < size.operations; id++) {
    asking.send({ type: 'start', id: String(id), payload: { query: bookById, variables: { id } } })
  }
  for (let id = 2; id <= 12; id++) {
    await database.sql('update wide set id = $1', [id])
    await served.isServed()
  }
  await asking.messages.until(
    (all) => all.filter(({ type }) => type === 'error').length === size.operations - 1000,
    60_000,
  )
  asking.socket.terminate()
  for (const { socket } of slow) socket.terminate()
  // Clients that vanish silently are noticed last.
  for (let waited = 0; (await served.measure('websockets')) > 1; waited++) {
    assert.ok(waited < 60, 'a client that is gone is still taken for there')
    await sleep(1000)
  }
  assert.equal(await served.measure('subscribers'), 1)
  await served.isServed()
  const grown = served.memory() - before
  assert.ok(grown < spareBytes, `${grown} bytes more`)
}

test('other clients are served and memory is released, whatever a crowd of clients does', async (t) => {
  const served = await startServed(t)
  await t.test('a crowd that reconnects at once', () => crowd(t, served))
  await t.test('clients that do not read, have disconnected, or send too much', () => misbehaving(t, served))
})
