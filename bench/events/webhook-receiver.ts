// A webhook that counts events and records the delay of each after its commit or due time. It is a separate process,
// which sends its port to the parent. It answers each message with the events since the last one.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The received events. */
export interface Received {
  readonly count: number
  /** Milliseconds since 1970 of the last one. */
  readonly last: number
  /** Milliseconds from the commit of each, sorted. */
  readonly late: readonly number[]
  /** One body, to send the same again. */
  readonly sample: string
}

let late: number[] = []
let last = 0
let sample = ''

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    last = Date.now()
    const body = Buffer.concat(chunks).toString()
    sample = body
    const [, created = ''] = /"(?:created_at|scheduled_time)":"([^"]+)"/.exec(body) ?? []
    late.push(last - Date.parse(created))
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

process.on('message', () => {
  process.send?.({ count: late.length, last, late: late.sort((a, b) => a - b), sample } satisfies Received)
  late = []
})
