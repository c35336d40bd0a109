// A third-party server: a webhook or a publisher of keys.

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
  /** Stops the server before the test ends. */
  stop(): Promise<void>
}

export interface OtherAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A string or Buffer is sent unchanged, other values as JSON. */
  readonly body?: unknown
}

/** Starts a server that answers with the function's result; for null it never answers. */
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
  // On a loaded machine a process may pause for longer than the default keep-alive timeout.
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
