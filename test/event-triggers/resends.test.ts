// Events at receivers that close or reset connections.

import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { eventually } from '../support/waiting.ts'
import { startShop } from './shop.ts'

/** A receiver that answers until it is switched off, and then resets the connection. */
async function startResetting(t: TestContext) {
  const state = { isAnswering: true, requests: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (chunk) => {
      if (!String(chunk).startsWith('POST')) return
      state.requests++
      if (state.isAnswering) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      else socket.resetAndDestroy()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state }
}

interface Logged {
  readonly status: number
  readonly request: { readonly resent?: boolean; readonly version: string }
}

test('an attempt is one request; a resend on a reset keep-alive connection is recorded', async (t) => {
  const { url, state } = await startResetting(t)
  const shop = await startShop(t)
  await shop.trigger({ webhook: url, retry_conf: { num_retries: 1, interval_sec: 1 } })
  // The client keeps this number of connections, each of which would be reset in turn.
  await shop.sql('insert into orders (id) select generate_series(1, 8)')
  const count = async (where: string) => (await shop.sql(`select from trellis.event_log where ${where}`)).length
  await eventually(async () => (await count('delivered')) === 8)
  state.isAnswering = false
  state.requests = 0
  await shop.sql('insert into orders (id) values (9)')
  await eventually(async () => (await count('error')) === 1)
  const logged = await shop.op<Logged[]>('pg_get_event_invocation_logs', { name: 'order' })
  const failed = logged.filter(({ status }) => status === 1000)
  assert.equal(failed.length, 2)
  const resent = failed.filter(({ request }) => request.resent)
  assert.ok(resent.length <= 1)
  assert.equal(state.requests, failed.length + resent.length)
  assert.ok(logged.filter(({ status }) => status === 200).every(({ request }) => !('resent' in request)))
})
