// Many simultaneous requests to a host that accepts few connections.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import { HostOpenings, type Opening } from '../../core/outgoing/connecting/openings.ts'
import { atEnd } from '../support/cleanup.ts'

/** A receiver in its own process, whose accept queue holds about six connections. */
async function startSmall(t: TestContext, busyMillis = 1): Promise<{ url: string; process: ChildProcess }> {
  const child = fork(new URL('small-receiver.ts', import.meta.url), [String(busyMillis)])
  atEnd(t, () => void child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  return { url: `http://127.0.0.1:${port}/`, process: child }
}

function client(t: TestContext) {
  const outgoing = new OutgoingClient(dialects.trellis)
  t.after(() => outgoing.close())
  return (url: string, timeout = 30_000) => outgoing.send({ method: 'POST', url, body: '{}', timeout })
}

test('a burst at a receiver with a short accept queue arrives completely, each request once', async (t) => {
  const { url } = await startSmall(t)
  const send = client(t)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => send(url)))
  const counts = answers.map(({ body }) => Number(body)).sort((a, b) => a - b)
  assert.deepEqual(
    counts,
    counts.map((_, i) => i + 1),
  )
})

test('a receiver that accepts nothing for a while loses no request', async (t) => {
  const { url, process: receiver } = await startSmall(t)
  const send = client(t)
  await send(url)
  receiver.kill('SIGSTOP')
  const answers = Promise.all(Array.from({ length: 100 }, () => send(url, 60_000)))
  await sleep(3000)
  receiver.kill('SIGCONT')
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    Array.from({ length: 100 }, () => 200),
  )
})

test('a host that refuses connections fails each request at once', async (t) => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await new Promise((done) => server.close(done))
  const send = client(t)
  const results = await Promise.allSettled(Array.from({ length: 200 }, () => send(url)))
  for (const result of results) {
    assert.ok(result.status === 'rejected')
    assert.match(String(result.reason), /ECONNREFUSED/)
  }
})

test('requests that were given up while they waited for a connection do not delay others', async (t) => {
  const { url, process: receiver } = await startSmall(t)
  const send = client(t)
  receiver.kill('SIGSTOP')
  const given = await Promise.allSettled(Array.from({ length: 50 }, () => send(url, 200)))
  assert.ok(given.every(({ status }) => status === 'rejected'))
  receiver.kill('SIGCONT')
  assert.equal((await send(url)).status, 200)
})

/** A host whose connections the test opens by hand. */
function byHand() {
  const host = new HostOpenings()
  const open: Opening[] = []
  const errors: Error[] = []
  const ask = (count: number) => {
    for (let i = 0; i < count; i++) {
      host.open(
        (opening) => open.push(opening),
        (error) => errors.push(error),
      )
    }
  }
  return { host, open, errors, ask }
}

test('few connections are opened at first, and more as responses arrive', async () => {
  const { open, ask } = byHand()
  ask(100)
  assert.equal(open.length, 4)
  for (const opening of open.splice(0)) {
    opening.connected()
    opening.answered()
  }
  await sleep(50)
  assert.equal(open.length, 8)
})

test('a response that overtakes an older connection does not raise the limit', async () => {
  const { open, ask } = byHand()
  ask(100)
  const [, ...younger] = open.splice(0)
  for (const opening of younger) {
    opening.connected()
    opening.answered()
  }
  await sleep(50)
  assert.equal(open.length, 3)
})

test('a connection that stalls gives way to others and lowers the limit', async () => {
  const { open, ask } = byHand()
  ask(4)
  const [dropped, ...others] = open.splice(0)
  for (const opening of others) {
    opening.connected()
    opening.answered()
  }
  await sleep(1200)
  ask(10)
  assert.equal(open.length, 2)
  dropped!.connected()
  dropped!.answered()
  for (const opening of open.splice(0)) {
    opening.connected()
    opening.answered()
  }
  await sleep(50)
  assert.ok(open.length >= 2 && open.length <= 3, String(open.length))
})

test('a host that no connection reaches fails all waiting requests with the first one', async () => {
  const { open, errors, ask } = byHand()
  ask(20)
  await sleep(1100)
  const error = Object.assign(new Error('late'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
  assert.equal(open[0]!.failed(error), false)
  assert.ok(errors.length > 0 && errors.every((one) => one === error))
  const { open: others, ask: again } = byHand()
  again(2)
  others[1]!.connected()
  // A connection to a reachable host is retried.
  await sleep(5)
  assert.equal(others[0]!.failed(error), true)
})
