// Connections that a plugin takes over, as for WebSockets.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { startTrellis } from '../support/trellis.ts'

const sockets = definePlugin({
  name: 'sockets',
  register({ app }) {
    app.server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  },
})

const hasV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

test('a refused page cannot open a WebSocket on any address', async (t) => {
  const { url } = await startTrellis(t, { plugins: [sockets], settings: { serverHost: null } })
  const upgrade = async (address: string, headers: string) => {
    const socket = connect(Number(new URL(url).port), address)
    t.after(() => socket.destroy())
    socket.write(`GET /v1/graphql HTTP/1.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n${headers}\r\n\r\n`)
    return String(await socket.toArray().then(Buffer.concat)).slice(9, 12)
  }
  for (const address of ['127.0.0.1', ...(hasV6 ? ['::1'] : [])]) {
    assert.equal(await upgrade(address, 'Host: localhost'), '101')
    assert.equal(await upgrade(address, 'Host: localhost\r\nOrigin: http://localhost:3000'), '101')
    assert.equal(await upgrade(address, 'Host: localhost\r\nOrigin: https://evil.example'), '403')
    assert.equal(await upgrade(address, 'Host: evil.example\r\nOrigin: http://evil.example'), '403')
  }
})

test('bytes that are not HTTP are refused on every address', { skip: !hasV6 }, async (t) => {
  const { url } = await startTrellis(t, { settings: { serverHost: null } })
  for (const address of ['127.0.0.1', '::1']) {
    const socket = connect(Number(new URL(url).port), address)
    socket.write('hello\r\n\r\n')
    const text = String(await socket.toArray().then(Buffer.concat))
    assert.match(text, /^HTTP\/1\.1 400 [\s\S]*\{"path":"\$","error":"bad request","code":"bad-request"\}$/)
  }
})
