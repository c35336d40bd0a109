// A remote server with subscriptions for tests: over WebSockets, server-sent events, both, or neither.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { buildSchema, graphqlSync, parse } from 'graphql'
import { createHandler } from 'graphql-sse/lib/use/http'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import { atEnd } from '../support/cleanup.ts'

export const tickingTypes = `
  type Query { now: Int }
  type Subscription { ticks(of: String! = "clock", team: String): Tick  sizes: BigInt  many(count: Int!): String! }
  scalar BigInt
  interface Sign { text: String! }
  type Tick implements Sign { n: Int!  text: String!  by: Team }
  type Team { name: String! secret: String }
`

/** A subscriber. */
export interface Listener {
  readonly args: Record<string, unknown>
  /** The headers of its request or upgrade, and those in `connection_init`. */
  readonly headers: IncomingMessage['headers']
  readonly payload: unknown
  send(value: unknown): void
  end(): void
  /** Resolves when the subscriber ends the subscription. */
  readonly gone: Promise<void>
}

export interface Ticking {
  readonly url: string
  readonly listeners: Listener[]
  /** The next subscriber that was not returned yet. */
  next(): Promise<Listener>
  /** Cuts all connections. */
  cut(): void
}

interface Transports {
  readonly websocket?: boolean
  readonly sse?: boolean
}

interface Caller {
  readonly headers: IncomingMessage['headers']
  readonly payload: unknown
}

/** The values for one subscriber. */
class Channel implements Listener {
  readonly args: Record<string, unknown>
  readonly headers: IncomingMessage['headers']
  readonly payload: unknown
  readonly gone: Promise<void>
  readonly #field: string
  readonly #values: unknown[] = []
  #isOver = false
  #wake = () => {}
  #leave = () => {}

  constructor(field: string, args: Record<string, unknown>, { headers, payload }: Caller) {
    this.#field = field
    this.args = args
    this.headers = headers
    this.payload = payload
    this.gone = new Promise((resolve) => {
      this.#leave = resolve
    })
  }

  send(value: unknown) {
    this.#values.push(value)
    this.#wake()
  }

  end() {
    this.#isOver = true
    this.#wake()
  }

  [Symbol.asyncIterator]() {
    return {
      next: async (): Promise<IteratorResult<unknown>> => {
        for (;;) {
          if (this.#values.length > 0) return { done: false, value: { [this.#field]: this.#values.shift() } }
          if (this.#isOver) return { done: true, value: undefined }
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      },
      return: async (): Promise<IteratorResult<unknown>> => {
        this.#isOver = true
        this.#wake()
        this.#leave()
        return { done: true, value: undefined }
      },
    }
  }
}

/** Starts the server. */
export async function startTicking(t: TestContext, { websocket = false, sse = false }: Transports): Promise<Ticking> {
  const listeners: Channel[] = []
  let wake = () => {}
  const subscribed = (field: string) => (args: Record<string, unknown>, caller: Caller) => {
    const channel = new Channel(field, args, caller)
    listeners.push(channel)
    wake()
    return channel
  }
  const schema = buildSchema(tickingTypes)
  const rootValue = {
    now: 1,
    ticks: subscribed('ticks'),
    sizes: subscribed('sizes'),
    async *many({ count }: { count: number }) {
      for (let i = 0; i < count; i++) yield { many: 'x'.repeat(10_000) }
    },
  }
  const sseHandler = createHandler({
    onSubscribe: (request, { query, variables, operationName }) => ({
      ...{ schema, document: parse(String(query)), rootValue, variableValues: variables ?? null },
      operationName: operationName ?? null,
      contextValue: { headers: request.raw.headers, payload: null },
    }),
  })
  const server = createServer(async (request, response) => {
    if (sse && /event-stream/.test(request.headers.accept ?? '')) return sseHandler(request, response)
    if (request.method !== 'POST') return response.writeHead(404).end()
    const { query, variables } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const isSubscription = /^\s*subscription/.test(query)
    const refusal = { errors: [{ message: 'subscribe elsewhere' }] }
    const body = isSubscription ? refusal : graphqlSync({ schema, source: query, rootValue, variableValues: variables })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  if (websocket) {
    useServer(
      {
        schema,
        roots: { subscription: rootValue },
        context: ({ extra, connectionParams }) => ({ headers: extra.request.headers, payload: connectionParams }),
      },
      new WebSocketServer({ server }),
    )
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  atEnd(t, () => {
    cut()
    server.close()
  })
  let taken = 0
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    listeners,
    cut,
    async next() {
      while (listeners.length <= taken) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return listeners[taken++]!
    },
  }
}
