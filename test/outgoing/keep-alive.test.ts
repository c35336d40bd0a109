// Keep-alive connections that the server closes at the moment when they are reused.

import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient, OutgoingError, type OutgoingRequest } from '../../core/outgoing/client.ts'
import { atEnd } from '../support/cleanup.ts'

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server that answers the first request of a connection, and breaks at the second one. */
async function startImpatient(t: TestContext, end: (socket: Socket) => void, served = 1) {
  const counts = { connections: 0, requests: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    counts.connections++
    sockets.add(socket.on('error', () => {}))
    let requests = 0
    socket.on('data', () => {
      counts.requests++
      if (++requests <= served) socket.write(answer)
      else end(socket)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  atEnd(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url, counts }
}

function client(t: TestContext) {
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  return async (url: string, more: Partial<OutgoingRequest> = {}) => {
    const answer = await outgoing.send({ method: 'POST', url, body: '{}', timeout: 5000, ...more })
    // The connection is free after this turn of the event loop.
    await new Promise((done) => setImmediate(done))
    return answer
  }
}

const isConnection = (error: unknown): error is OutgoingError =>
  error instanceof OutgoingError && error.reason === 'connection'

const ends = {
  reset: (socket: Socket) => void socket.resetAndDestroy(),
  closed: (socket: Socket) => void socket.end(),
}

for (const [how, end] of Object.entries(ends)) {
  test(`a repeatable request is sent again when its keep-alive connection is ${how}`, async (t) => {
    const { url, counts } = await startImpatient(t, end)
    const send = client(t)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await send(url, { isRepeatable: true })
      assert.deepEqual([status, body.toString()], [200, 'ok'])
    }
    assert.ok(counts.requests > 3)
  })
}

for (const [how, end] of Object.entries(ends)) {
  test(`it is sent at most twice, however many connections are ${how}, and the response says so`, async (t) => {
    let isEnding = false
    const { url, counts } = await startImpatient(t, (socket) => (isEnding ? end(socket) : void socket.write(answer)), 0)
    const send = client(t)
    await Promise.all(Array.from({ length: 4 }, () => send(url)))
    assert.ok(counts.connections > 1)
    isEnding = true
    const before = counts.requests
    await assert.rejects(send(url, { isRepeatable: true }), (error) => isConnection(error) && error.isResent)
    assert.equal(counts.requests - before, 2)
    isEnding = false
    const { url: single } = await startImpatient(t, end)
    assert.equal((await send(single, { isRepeatable: true })).isResent, undefined)
    assert.equal((await send(single, { isRepeatable: true })).isResent, true)
  })
}

test('other requests fail in that case', async (t) => {
  const { url, counts } = await startImpatient(t, ends.reset)
  const send = client(t)
  await send(url)
  await assert.rejects(send(url), isConnection)
  assert.deepEqual(counts, { connections: 1, requests: 2 })
})

test('a request on a new connection fails, and so does one whose response has begun', async (t) => {
  const refusing = await startImpatient(t, ends.reset, 0)
  const send = client(t)
  await assert.rejects(send(refusing.url, { isRepeatable: true }), isConnection)
  assert.equal(refusing.counts.requests, 1)
  const breaking = await startImpatient(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no', () => setTimeout(() => socket.resetAndDestroy(), 20))
  })
  await send(breaking.url, { isRepeatable: true })
  await assert.rejects(send(breaking.url, { isRepeatable: true }), isConnection)
  assert.equal(breaking.counts.requests, 2)
})

test('a request fails after part of a status line', async (t) => {
  const { url, counts } = await startImpatient(t, (socket) => {
    socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 20))
  })
  const send = client(t)
  await send(url, { isRepeatable: true })
  await assert.rejects(send(url, { isRepeatable: true }), isConnection)
  assert.equal(counts.requests, 2)
})
