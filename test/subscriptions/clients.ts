// Clients of subscriptions: real ones, and a bare socket for messages that they never send.

import type { TestContext } from 'node:test'
import {
  createClient as createSseClient,
  type Client as SseClient,
  type ClientOptions as SseOptions,
} from 'graphql-sse'
import { type Client, type ClientOptions, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { atEnd } from '../support/cleanup.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

/** Milliseconds for events that need no action, on a machine that is slow or busy. */
const timeoutMillis = 60_000

/** The results of a subscription in order, and a way to wait for more. */
export class Received<T = unknown> {
  readonly items: T[] = []
  #wake: (() => void)[] = []

  push(item: T): void {
    this.items.push(item)
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** The items, once this number has arrived. */
  async atLeast(count: number, millis = timeoutMillis): Promise<readonly T[]> {
    return this.until(() => this.items.length >= count, millis)
  }

  /** The items, once one of them satisfies the condition. */
  async until(isEnough: (items: readonly T[]) => boolean, millis = timeoutMillis): Promise<readonly T[]> {
    const deadline = Date.now() + millis
    while (!isEnough(this.items)) {
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`waited in vain, with ${JSON.stringify(this.items).slice(-2000)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return this.items
  }
}

export interface SocketClose {
  readonly code: number
  readonly reason: string
}

/** A bare WebSocket. */
export interface TestSocket {
  readonly socket: WebSocket
  readonly messages: Received<Record<string, unknown>>
  readonly closed: Promise<SocketClose>
  send(message: unknown): void
  /** The messages without keep-alive messages. */
  readonly spoken: () => readonly Record<string, unknown>[]
  /** The next message after those already taken, without keep-alive messages. */
  next(): Promise<Record<string, unknown>>
}

export interface SocketOptions {
  readonly path?: string
  readonly protocol?: string | readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

const isChatter = ({ type }: Record<string, unknown>) => type === 'ka' || type === 'ping'

const wsUrl = (url: string, path: string): string => url.replace('http', 'ws') + path

/** Opens a WebSocket; rejects when it is refused. */
export async function openSocket(t: TestContext, url: string, options: SocketOptions = {}): Promise<TestSocket> {
  const { path = '/v1/graphql', protocol = 'graphql-ws', headers = {} } = options
  const protocols = typeof protocol === 'string' ? [protocol] : [...protocol]
  const socket = new WebSocket(wsUrl(url, path), protocols, { headers })
  atEnd(t, () => socket.terminate())
  const messages = new Received<Record<string, unknown>>()
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const closed = new Promise<SocketClose>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  const spoken = () => messages.items.filter((message) => !isChatter(message))
  let taken = 0
  return {
    socket,
    messages,
    closed,
    spoken,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next() {
      await messages.until(() => spoken().length > taken)
      return spoken()[taken++]!
    },
  }
}

/** The refusal of an upgrade. */
export async function refusedUpgrade(url: string, { path = '/v1/graphql', headers = {} }: SocketOptions = {}) {
  const socket = new WebSocket(wsUrl(url, path), ['graphql-ws'], { headers })
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    socket.once('open', () => reject(new Error('the upgrade was not refused')))
    socket.once('error', () => {})
    socket.once('unexpected-response', (_request, response) => {
      let body = ''
      response.on('data', (data) => {
        body += String(data)
      })
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }))
    })
  })
}

/** An initialised socket of the older protocol. */
export async function openApollo(
  t: TestContext,
  url: string,
  options: SocketOptions & { readonly payload?: unknown } = {},
): Promise<TestSocket> {
  const socket = await openSocket(t, url, options)
  socket.send({ type: 'connection_init', payload: options.payload ?? {} })
  const answer = await socket.next()
  if (answer.type !== 'connection_ack') throw new Error(JSON.stringify(answer))
  return socket
}

/** The client of the library graphql-ws. */
export function graphqlWsClient(t: TestContext, url: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url: wsUrl(url, '/v1/graphql'), webSocketImpl: WebSocket, lazy: true, ...options })
  atEnd(t, () => client.dispose())
  return client
}

/** Subscribes by that client; gives the received messages, including errors. */
export function subscribeWith(
  client: Pick<Client, 'subscribe'> | SseClient<boolean>,
  query: string,
  variables: Record<string, unknown> = {},
): Received {
  const received = new Received()
  client.subscribe(
    { query, variables },
    {
      next: (value) => received.push(value),
      error: (error) => received.push({ error }),
      complete: () => received.push('complete'),
    },
  )
  return received
}

/** The library behind an admin secret. */
export async function startGuarded(
  t: TestContext,
  settings: NonNullable<TrellisOptions['settings']> = {},
): Promise<TestTrellis> {
  const { database } = await startLibrary(t)
  return startTrellis(t, { database, settings: { adminSecret: 'secret', ...settings } })
}

/** The client of the library graphql-sse. */
export function graphqlSseClient(
  t: TestContext,
  url: string,
  options: Partial<SseOptions<boolean>> = {},
): SseClient<boolean> {
  const client = createSseClient<boolean>({ url: `${url}/v1/graphql`, retryAttempts: 0, ...options })
  atEnd(t, () => client.dispose())
  return client
}
