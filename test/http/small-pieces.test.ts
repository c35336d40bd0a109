import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { GatheredBytes } from '../../core/http/body/gathered-bytes.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { openConnection, serveRoutes } from './server.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The memory in use, in bytes. */
function used(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const mebibyte = 2 ** 20
const count = 200_000

/** Sends this number of chunks of one byte each. */
async function sendBytes(socket: Socket): Promise<void> {
  const many = '1\r\n \r\n'.repeat(1000)
  for (let sent = 0; sent < count; sent += 1000) {
    if (!socket.write(many)) await once(socket, 'drain')
  }
}

const echo: Route = { method: 'POST', url: '/echo', auth: 'none', handle: ({ body }) => body }
const head =
  'Host: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n'

test('a body that arrives byte by byte takes only the memory of its bytes', async (t) => {
  const { port, url } = await serveRoutes(t, [echo])
  const socket = await openConnection(t, port)
  const before = used()
  socket.write(`POST /echo HTTP/1.1\r\n${head}`)
  await sendBytes(socket)
  // The answer shows that the server has read everything sent before.
  await (await fetch(`${url}/echo`, { method: 'POST', body: '1' })).text()
  assert.ok(used() - before < 8 * mebibyte)
  socket.write('1\r\n7\r\n0\r\n\r\n')
  assert.match(String(await socket.toArray().then(Buffer.concat)), /^HTTP\/1\.1 200 .*\r\n7$/s)
})

test('the body of a request to an unknown path is not awaited', async (t) => {
  const { port } = await serveRoutes(t, [echo])
  const socket = await openConnection(t, port)
  socket.write(`POST /nowhere HTTP/1.1\r\n${head}1\r\n{\r\n`)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 404 /)
})

test('a response of another server that arrives byte by byte takes only the memory of its bytes', async (t) => {
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  const sent = Promise.withResolvers<Socket>()
  const server = createServer(async (socket) => {
    await once(socket, 'data')
    socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`)
    await sendBytes(socket)
    sent.resolve(socket)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const before = used()
  const answer = outgoing.send({ method: 'GET', url, timeout: 60_000 })
  const socket = await sent.promise
  await sleep(200)
  assert.ok(used() - before < 8 * mebibyte)
  socket.end('1\r\n7\r\n0\r\n\r\n')
  assert.equal(String((await answer).body), `${' '.repeat(count)}7`)
})

test('pieces of all lengths are joined in order', () => {
  for (const lengths of [
    [],
    [0],
    [3],
    [2000],
    [1, 2],
    [5000, 1, 1, 5000, 3],
    Array.from({ length: 500 }, (_, i) => i * 7),
  ]) {
    const pieces = lengths.map((length) => Buffer.alloc(length, length))
    const gathered = new GatheredBytes()
    for (const piece of pieces) gathered.add(piece)
    assert.deepEqual([gathered.size, gathered.whole()], [Buffer.concat(pieces).length, Buffer.concat(pieces)])
  }
})
