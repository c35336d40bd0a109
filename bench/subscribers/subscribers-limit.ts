// The limit of subscriptions: a bare `ws` server with one connection to PostgreSQL. A notification of a change names a
// group of rows. The server runs one hand-written prepared statement for it, and sends the bytes to all subscribers of
// the group. Started as a separate process: `subscribers-limit.ts DATABASE_URL STATEMENT`.

import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'

const rawTypes = { getTypeParser: () => (value: unknown) => value }

async function main([connectionString = '', text = '']: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const byGroup = new Map<number, WebSocket[]>()
  const send = async (group: number, sockets: readonly WebSocket[]) => {
    const query = { name: 'rows', text, values: [group], binary: true, types: rawTypes } as pg.QueryConfig
    const { rows } = await client.query<{ answer: Buffer }>(query)
    const message = Buffer.concat([
      Buffer.from('{"type":"next","id":"1","payload":'),
      rows[0]!.answer,
      Buffer.from('}'),
    ])
    for (const socket of sockets) socket.send(message, { binary: false })
  }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}')
      if (type !== 'subscribe') return
      const { group } = payload.variables as { group: number }
      byGroup.set(group, [...(byGroup.get(group) ?? []), socket])
      void send(group, [socket])
    })
  })
  process.on('message', (group: number) => void send(group, byGroup.get(group) ?? []))
  process.on('disconnect', () => process.exit())
  server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
}

await main(process.argv.slice(2))
