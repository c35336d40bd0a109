// The row about one slow webhook beside a fast one.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../support/database.ts'
import { operate } from '../support/trellis.ts'
import type { Neighbour } from './neighbour.ts'

/**
 * Milliseconds until the slow webhook answers, and events for it per second: more than the pools of both servers can
 * deliver.
 */
const [slowMillis, slowRate] = [200, 1600]
const fastRate = 100
const stepMillis = 50

const kinds = ['slow', 'fast'] as const

/** A server with both webhooks; it records the delay of each fast event in milliseconds. */
async function startWebhooks() {
  const late: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/slow') return setTimeout(() => response.end(), slowMillis)
      const [, created = ''] = /"created_at":"([^"]+)"/.exec(Buffer.concat(chunks).toString()) ?? []
      late.push(Date.now() - Date.parse(created))
      return response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, take: () => late.splice(0).toSorted((a, b) => a - b), stop }
}

export const slowWebhook: Neighbour = {
  name: 'N9',
  title: `${fastRate} events/s for a webhook, beside ${slowRate}/s for one that takes ${slowMillis} ms`,
  figures: [
    { what: 'p99 / quiet', unit: 'x', over: 'median', compared: 'shared', target: { most: 2 } },
    { what: 'p99', unit: 'ms', over: 'median', compared: 'shared', target: null },
  ],
  measure: async ({ trellis, databaseUrl }) => {
    const webhooks = await startWebhooks()
    const p99 = await withClient(databaseUrl, async (client) => {
      for (const kind of kinds) {
        await client.query(`create table if not exists event_${kind} (id serial primary key, name text)`)
        await operate(trellis.port, 'track_table', `event_${kind}`).catch(() => {})
        const args = {
          name: kind,
          table: `event_${kind}`,
          insert: { columns: '*' },
          webhook: `${webhooks.url}/${kind}`,
        }
        await operate(trellis.port, 'create_event_trigger', args)
      }
      const insert = (kind: (typeof kinds)[number], count: number) =>
        client.query(`insert into event_${kind} (name) select 'row' from generate_series(1, $1)`, [count])
      const p99During = async (seconds: number, slow: number) => {
        webhooks.take()
        const began = performance.now()
        for (let step = 1; step <= (seconds * 1000) / stepMillis; step++) {
          if (slow > 0) await insert('slow', (slow * stepMillis) / 1000)
          await insert('fast', (fastRate * stepMillis) / 1000)
          await sleep(Math.max(0, began + step * stepMillis - performance.now()))
        }
        await sleep(500)
        const late = webhooks.take()
        return late[Math.floor(late.length * 0.99)] ?? Number.POSITIVE_INFINITY
      }
      await p99During(1, 0)
      const quiet = await p99During(3, 0)
      await p99During(1, slowRate)
      const beside = await p99During(4, slowRate)
      for (const kind of kinds) await operate(trellis.port, 'delete_event_trigger', { name: kind })
      return { quiet, beside }
    })
    webhooks.stop()
    return [p99.beside / p99.quiet, p99.beside]
  },
}
