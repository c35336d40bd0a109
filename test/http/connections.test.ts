import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Route } from '../../core/http/route/declared-route.ts'
import { eventually } from '../support/waiting.ts'
import { openConnection, recordingObserver, serveRoutes } from './server.ts'

const size = 40_000_000

/** Counts the large responses. */
function largeAnswers() {
  const state = { made: 0, route: null as unknown as Route }
  state.route = {
    method: 'GET',
    url: '/large',
    auth: 'session',
    handle() {
      state.made++
      return Buffer.alloc(size, 'x')
    },
  }
  return state
}

const hello: Route = { method: 'GET', url: '/hello', auth: 'session', handle: () => ({ hello: true }) }
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('a client that stops reading is disconnected, and others are served meanwhile', async (t) => {
  const large = largeAnswers()
  const { port, url } = await serveRoutes(t, [large.route, hello], { settings: { responseStallTimeout: 1 } })
  const socket = await openConnection(t, port)
  socket.pause()
  socket.write(ask('/large'))
  await eventually(() => large.made === 1)
  assert.deepEqual(await (await fetch(`${url}/hello`)).json(), { hello: true })
  const closed = once(socket, 'close')
  let received = 0
  await sleep(2500)
  socket.on('data', (chunk) => {
    received += chunk.length
  })
  socket.resume()
  await closed
  assert.ok(received < size, `${received} bytes arrived`)
})

test('a client that reads slowly gets its whole response', async (t) => {
  const large = largeAnswers()
  const { port } = await serveRoutes(t, [large.route], { settings: { responseStallTimeout: 1 } })
  const socket = await openConnection(t, port)
  socket.write(ask('/large'))
  let received = 0
  const started = performance.now()
  socket.on('data', (chunk) => {
    received += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), Math.ceil((chunk.length / size) * 2500))
  })
  while (received < size && !socket.destroyed) await sleep(50)
  assert.ok(received >= size, `${received} bytes arrived`)
  assert.ok(performance.now() - started > 2000)
})

test('a client that reads a little now and then is disconnected after the timeout', async (t) => {
  const large = largeAnswers()
  const settings = { responseStallTimeout: 30, responseSendTimeout: 2 }
  const { port, url } = await serveRoutes(t, [large.route, hello], { settings })
  const socket = await openConnection(t, port)
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), 100)
  })
  socket.write(ask('/large'))
  await once(socket, 'close')
  assert.ok(received > 0 && received < size, `${received} bytes arrived`)
  assert.deepEqual(await (await fetch(`${url}/hello`)).json(), { hello: true })
})

test('each response of a connection has its own timeout', async (t) => {
  const answers = 12
  const large = largeAnswers()
  const { port } = await serveRoutes(t, [large.route], { settings: { responseSendTimeout: 8 } })
  const socket = await openConnection(t, port)
  socket.write(ask('/large').repeat(answers))
  let received = 0
  let paused = 0
  socket.on('data', (chunk) => {
    received += chunk.length
    if (received - paused < 2_000_000) return
    paused = received
    socket.pause()
    setTimeout(() => socket.resume(), 50)
  })
  while (received < answers * size && !socket.destroyed) await sleep(50)
  assert.ok(received >= answers * size, `${received} bytes arrived`)
})

test('pipelined requests are answered in sequence, so a silent client holds one response', async (t) => {
  const large = largeAnswers()
  const { port } = await serveRoutes(t, [large.route], { settings: { responseStallTimeout: 2 } })
  const socket = await openConnection(t, port)
  socket.pause()
  socket.write(ask('/large').repeat(200))
  await eventually(() => large.made > 0)
  await sleep(500)
  assert.equal(large.made, 1)
})

test('pipelined requests of a reading client are all answered in order', async (t) => {
  const number: Route = { method: 'GET', url: '/n/:n', auth: 'none', handle: ({ request }) => request.params }
  const { port } = await serveRoutes(t, [number])
  const socket = await openConnection(t, port)
  const numbers = Array.from({ length: 50 }, (_, i) => String(i))
  socket.write(numbers.map((n) => ask(`/n/${n}`)).join(''))
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.includes('"49"')) break
  }
  assert.deepEqual(
    [...text.matchAll(/\{"n":"(\d+)"\}/g)].map(([, n]) => n),
    numbers,
  )
})

test('few requests are read behind a slow response; in the end all are answered in order', async (t) => {
  const { promise: held, resolve: end } = Promise.withResolvers<void>()
  const slow: Route = { method: 'GET', url: '/slow', auth: 'none', handle: () => held.then(() => ({ n: 'slow' })) }
  const number: Route = { method: 'GET', url: '/n/:n', auth: 'none', handle: ({ request }) => request.params }
  const { port, url } = await serveRoutes(t, [slow, number])
  const socket = await openConnection(t, port)
  const long = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(4000)}\r\n\r\n`
  const numbers = Array.from({ length: 10_000 }, (_, i) => String(i))
  socket.write(ask('/slow') + numbers.map((n) => long(`/n/${n}`)).join(''))
  // More than the socket buffers of both ends hold.
  await sleep(1000)
  assert.ok(socket.writableLength > 0, 'all of it was read')
  assert.deepEqual(await (await fetch(`${url}/n/1`)).json(), { n: '1' })
  end()
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.includes('"9999"')) break
  }
  assert.deepEqual(
    [...text.matchAll(/\{"n":"(\w+)"\}/g)].map(([, n]) => n),
    ['slow', ...numbers],
  )
})

test('closing waits for requests in flight and refuses new connections', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  const slow: Route = {
    ...{ method: 'GET', url: '/slow', auth: 'none' },
    async handle() {
      asked++
      await held
      return { done: true }
    },
  }
  const server = await serveRoutes(t, [slow, hello], { settings: { gracefulShutdownTimeout: 30 } })
  await (await fetch(`${server.url}/hello`)).json()
  const answer = fetch(`${server.url}/slow`)
  await eventually(() => asked === 1)
  const started = performance.now()
  const closed = server.close()
  const isRefused = () =>
    fetch(`${server.url}/hello`).then(
      () => false,
      () => true,
    )
  await eventually(isRefused)
  release()
  assert.deepEqual(await (await answer).json(), { done: true })
  await closed
  assert.ok(performance.now() - started < 25_000)
})

test('closing cuts requests that exceed the graceful timeout', async (t) => {
  const never: Route = { method: 'GET', url: '/never', auth: 'none', handle: () => new Promise(() => {}) }
  const server = await serveRoutes(t, [never], { settings: { gracefulShutdownTimeout: 1 } })
  const answer = fetch(`${server.url}/never`)
  const refused = assert.rejects(answer)
  await sleep(100)
  await server.close()
  await refused
})

test('a client that disconnects while its request runs affects only that request', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow: Route = { method: 'GET', url: '/slow', auth: 'none', handle: () => held.then(() => ({ done: true })) }
  const { url } = await serveRoutes(t, [slow, hello])
  const controller = new AbortController()
  const gone = assert.rejects(fetch(`${url}/slow`, { signal: controller.signal }))
  await sleep(100)
  controller.abort()
  await gone
  release()
  await sleep(100)
  assert.deepEqual(await (await fetch(`${url}/hello`)).json(), { hello: true })
})

test('a response that a handler began is cut when the handler fails', async (t) => {
  const observe = recordingObserver()
  const stream: Route = {
    method: 'GET',
    url: '/stream',
    auth: 'none',
    handle({ reply }) {
      reply.hijack()
      reply.raw.writeHead(200)
      reply.raw.write('half')
      throw new Error('no more')
    },
  }
  const { url } = await serveRoutes(t, [stream, hello], { observe })
  await assert.rejects(fetch(`${url}/stream`).then((response) => response.text()))
  assert.match(String(observe.entries[0]?.detail), /Error: no more/)
  assert.deepEqual(await (await fetch(`${url}/hello`)).json(), { hello: true })
})

test('a handler may run longer than the stall timeout', async (t) => {
  const patient: Route = { method: 'GET', url: '/slow', auth: 'none', handle: () => sleep(2500, { done: true }) }
  const { url } = await serveRoutes(t, [patient], { settings: { responseStallTimeout: 1 } })
  assert.deepEqual(await (await fetch(`${url}/slow`)).json(), { done: true })
})
