// A server that another party runs: a webhook, or one that publishes keys.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Received {
  readonly method: string
  readonly path: string
  /** Names as sent, each followed by its value. */
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface OtherServer {
  readonly url: string
  readonly received: Received[]
  /** Ends it before the test does. */
  stop(): Promise<void>
}

export interface OtherAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A string or bytes as they are; anything else as JSON. */
  readonly body?: unknown
}

/** Starts a server that answers with what the function returns; null leaves the client waiting. */
export async function startOther(
  t: TestContext,
  answer: (request: Received) => OtherAnswer | null | Promise<OtherAnswer>,
): Promise<OtherServer> {
  const received: Received[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method = '', url: path = '', rawHeaders, headers } = request
    const call = { method, path, rawHeaders, headers, body }
    received.push(call)
    const given = await answer(call)
    if (given === null) return
    const isReady = typeof given.body === 'string' || Buffer.isBuffer(given.body)
    response.writeHead(given.status ?? 200, given.headers).end(isReady ? given.body : JSON.stringify(given.body ?? {}))
  }
  const server = createServer((request, response) => void handle(request, response))
  // A process under load may be silent for longer than connections are kept by default.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = () =>
    new Promise<void>((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
  t.after(stop)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop }
}
