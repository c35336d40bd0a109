import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultSettings } from '../../core/engine/options.ts'
import { createListener } from '../../core/http/front/listener.ts'
import type { Route } from '../../core/http/route/declared-route.ts'
import { openConnection, serveRoutes } from './server.ts'

const echo: Route = { method: 'POST', url: '/echo', auth: 'none', handle: ({ body }) => body }
const settings = { requestReadTimeout: 1 }

/** Sends a byte now and then until the server closes the connection; returns the bytes received. */
async function drip(socket: Socket, bytes: string): Promise<string> {
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const closed = once(socket, 'close')
  for (let i = 0; !socket.closed && !socket.readableEnded; i++) {
    if (socket.writable) socket.write(bytes[i % bytes.length]!)
    await Promise.race([closed, sleep(50)])
  }
  return answer
}

const tooLate =
  /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*\r\n\r\n\{"path":"\$","error":"request timeout","code":"bad-request"\}$/

test('a client that sends its headers byte by byte is disconnected', async (t) => {
  const { port } = await serveRoutes(t, [echo], { settings })
  const socket = await openConnection(t, port)
  socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\n')
  assert.match(await drip(socket, 'X-A: b\r\n'), tooLate)
})

test('a client that sends its body byte by byte is disconnected', async (t) => {
  const { port } = await serveRoutes(t, [echo], { settings })
  const socket = await openConnection(t, port)
  socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n')
  assert.match(await drip(socket, ' '), tooLate)
})

test('a client that sends nothing is disconnected', async (t) => {
  const { port } = await serveRoutes(t, [echo], { settings })
  const socket = await openConnection(t, port)
  socket.resume()
  await once(socket, 'close')
})

test('a client that is slow within the limit is served, while others are disconnected', async (t) => {
  const { port, url } = await serveRoutes(t, [echo], { settings: { requestReadTimeout: 5 } })
  const socket = await openConnection(t, port)
  socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 7\r\n\r\n')
  for (const byte of '{"a":1}') {
    socket.write(byte)
    await sleep(50)
  }
  const answer = String(await socket.toArray().then(Buffer.concat))
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.ok(answer.endsWith('{"a":1}'))
  assert.equal(await (await fetch(`${url}/echo`, { method: 'POST', body: '[1]' })).text(), '[1]')
})

test('by default headers have one minute and a request has five, and both are checked', async (t) => {
  const { requestReadTimeout: readTimeout } = defaultSettings()
  const server: Server = createListener(() => {}, {
    ...{ maxHeaderSize: 16_384, readTimeout, stallTimeout: 60, sendTimeout: 600 },
    ...{ cors: null, gate: () => null, timed: false },
  })
  t.after(() => server.close())
  assert.deepEqual([server.headersTimeout, server.requestTimeout, server.keepAliveTimeout], [60_000, 300_000, 72_000])
  assert.equal(server.timeout, 0)
})
