// Clients that read slowly, or nothing at all.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'
import { openApollo, type TestSocket } from './clients.ts'

const settings = { responseStallTimeout: 3, websocketKeepalive: 1, liveQueriesRefetchInterval: 100 }
const query = 'subscription { big { id content } }'
/** More than the buffers of the network hold. */
const bytes = 24_000_000

async function startBig(t: Parameters<typeof startLibrary>[0]) {
  const trellis = await startLibrary(t, { settings })
  await trellis.sql(`create table big (id int primary key, content text);
    insert into big values (1, repeat('x', ${bytes}))`)
  await trellis.op('track_table', 'big')
  return trellis
}

const rawOf = ({ socket }: TestSocket): Socket => (socket as unknown as { _socket: Socket })._socket

test('a slow reader gets the time that it needs, and a client that reads nothing is disconnected', async (t) => {
  const trellis = await startBig(t)
  const [slow, idle] = await Promise.all([openApollo(t, trellis.url), openApollo(t, trellis.url)])
  const events = await fetch(`${trellis.url}/v1/graphql?query=${encodeURIComponent(query)}`, {
    headers: { accept: 'text/event-stream' },
  })
  const { app } = trellis.engine
  const before = await app.countConnections()
  idle.socket.pause()
  for (const socket of [slow, idle]) socket.send({ type: 'start', id: '1', payload: { query } })
  const raw = rawOf(slow)
  const started = Date.now()
  raw.on('data', () => raw.pause())
  const pulse = setInterval(() => raw.resume(), 14)
  atEnd(t, () => clearInterval(pulse))
  await slow.messages.until((all) => all.some(({ type }) => type === 'data'), 60_000)
  const { type, payload } = (await slow.next()) as { type: string; payload: { data: { big: { content: string }[] } } }
  assert.deepEqual([type, payload.data.big[0]!.content.length], ['data', bytes])
  assert.ok(Date.now() - started > 5000, 'it took longer than clients that read nothing are given')
  await eventually(async () => (await app.countConnections()) <= before - 2)
  assert.equal(slow.socket.readyState, 1)
  slow.send({ type: 'start', id: '2', payload: { query: '{ __typename }' } })
  assert.equal((await slow.next()).type, 'data')
  idle.socket.resume()
  await Promise.all([idle.closed, assert.rejects(events.text())])
})
