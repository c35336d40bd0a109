// The WebSockets of the server: who gets one, what keeps it alive, and how all of them end.

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type CorsPolicy, corsPolicy, isSameOrigin } from '../../../sdk/http.ts'
import { type Engine, flatError, graphqlError, notFound, TrellisError, toTrellisError } from '../../../sdk/index.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import type { SocketOptions } from '../options.ts'
import { apolloProtocol } from './apollo.ts'
import { upgradeHeaders } from './client-headers.ts'
import { Connection } from './connection.ts'
import { type Endpoint, endpointOf } from './endpoints.ts'
import { Inbox } from './inbox.ts'
import type { Places } from './places.ts'
import type { Protocol } from './protocol.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { transportWsProtocol } from './transport-ws.ts'

export interface SocketsOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly limits: SocketOptions
  readonly places: Places
}

export class Sockets {
  readonly #options: SocketsOptions
  readonly #server: WebSocketServer
  readonly #cors: CorsPolicy | null
  readonly #signs: SignsOfLife
  #isStopping = false
  /** Bytes that were sent to, and came from, clients that are gone. */
  #past = { sent: 0, received: 0 }

  constructor(options: SocketsOptions) {
    this.#options = options
    const { engine, limits } = options
    this.#signs = new SignsOfLife(limits.keepAlive)
    this.#cors = corsPolicy(engine.settings)
    this.#server = new WebSocketServer({
      ...{ noServer: true, clientTracking: false, autoPong: false },
      maxPayload: limits.maxMessageSize,
      perMessageDeflate: limits.compression,
      handleProtocols: (offered) => chosenProtocol(offered),
    })
  }

  get connections(): readonly Connection[] {
    return this.#signs.connections
  }

  /** Bytes of messages, since the start. */
  get bytes(): { readonly sent: number; readonly received: number } {
    const total = { ...this.#past }
    for (const { outbox, received } of this.connections) {
      total.sent += outbox.bytes
      total.received += received
    }
    return total
  }

  /** Takes the upgrades of a server. */
  attach(): void {
    const { app } = this.#options.engine
    app.server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#signs.begin()
  }

  /** Closes all with the code on which clients connect again. */
  stop(): void {
    this.#isStopping = true
    this.#signs.stop()
    for (const connection of this.connections) connection.close(1012, 'shutting server down')
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // A client that goes away while it is refused.
    socket.on('error', ignore)
    if (this.#isStopping) {
      answer(socket, 503, ['Retry-After: 0', 'Content-Type: text/plain'], 'Server is shutting down')
      return
    }
    // Most servers ask before: not those of older versions of Node, nor those in which the engine is mounted.
    const refusal = this.#options.engine.app.refusalOf(request)
    if (refusal !== null) {
      answer(socket, refusal.status, [jsonHeader], JSON.stringify(flatError(refusal, false)))
      return
    }
    let release: (() => void) | null = null
    try {
      const endpoint = endpointOf(request.url ?? '', this.#options.engine)
      if (!endpoint)
        throw notFound("only '/v1/graphql', '/v1alpha1/graphql' and '/v1beta1/relay' are supported on websockets")
      const withCookie = this.#checkOrigin(request)
      const address = request.socket.remoteAddress ?? ''
      release = this.#options.places.take(address)
      socket.once('close', release)
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off('error', ignore)
        this.#serve(webSocket, { request, stream: socket, endpoint, withCookie, address })
      })
    } catch (error) {
      release?.()
      this.#refuse(socket, toTrellisError(error))
    }
  }

  /** Refuses pages of origins that may not ask, as far as the server's own gate let them pass; says whether the cookie counts. */
  #checkOrigin(request: IncomingMessage): boolean {
    const { origin, host = '' } = request.headers
    if (origin === undefined) return this.#cors !== null || this.#options.limits.readCookie
    if (this.#cors === null) return this.#options.limits.readCookie
    if (isSameOrigin(origin, host) || this.#cors.named(origin)) return true
    if (this.#cors.anybody) return false
    throw new TrellisError(400, 'access-denied', 'received origin header does not match configured CORS domains')
  }

  #refuse(socket: Duplex, error: TrellisError): void {
    const body = JSON.stringify(graphqlError(error, false))
    const { observe } = this.#options.engine
    const info = { websocket_id: '', token_expiry: null, msg: error.message }
    const event = { type: 'rejected', detail: graphqlError(error, false) } as const
    observe.log({ type: 'websocket-log', level: 'error', detail: { event, connection_info: info, user_vars: null } })
    const retry = error.status === 503 || error.status === 429 ? ['Retry-After: 1'] : []
    answer(socket, error.status, [jsonHeader, ...retry], body)
  }

  #serve(socket: WebSocket, { request, stream, endpoint, withCookie, address }: Upgraded): void {
    const { engine, live, limits } = this.#options
    const isTransportWs = socket.protocol === transportWsProtocol.name
    const upgrade = upgradeHeaders(request, withCookie)
    const wire = isTransportWs ? transportWsProtocol.wire : apolloProtocol.wire
    const connection = new Connection({ engine, live, socket, stream, wire, ...endpoint, upgrade, address, limits })
    connection.log({ type: 'accepted' })
    const { receive, isPong, ...kept } = isTransportWs
      ? begun(transportWsProtocol, connection)
      : begun(apolloProtocol, connection)
    const signs = this.#signs.keep({ connection, ...kept })
    // Who takes no answers is asked for no more questions, and what follows the end of a socket is none.
    const handle = (data: Buffer): Promise<void> | void => {
      if (!connection.isOpen) return
      return connection.outbox.isFull ? connection.outbox.room().then(() => handle(data)) : receive(data)
    }
    const inbox = new Inbox({ receive: handle, pause: () => socket.pause(), resume: () => socket.resume() })
    socket.on('message', (data: Buffer) => {
      signs.silent = 0
      connection.received += data.length
      if (!isPong(data)) inbox.put(data)
    })
    socket.on('ping', (data) => {
      signs.silent = 0
      if (!connection.outbox.isFull) socket.pong(data)
    })
    socket.on('pong', () => {
      signs.silent = 0
    })
    // The server gives a connection this time while there is something to send, anew whenever the client takes some of it.
    request.socket.once('timeout', () => connection.close(1013, 'the client does not take what it is sent'))
    // What is wrong with a frame closes the socket, with the code that says so.
    socket.on('error', (error) => connection.log({ type: 'conn_err', detail: error.message }))
    socket.once('close', () => {
      this.#signs.drop(signs)
      this.#past.sent += connection.outbox.bytes
      this.#past.received += connection.received
      connection.ended()
    })
  }
}

interface Upgraded {
  readonly request: IncomingMessage
  readonly stream: Duplex
  readonly endpoint: Endpoint
  readonly withCookie: boolean
  readonly address: string
}

const jsonHeader = 'Content-Type: application/json; charset=utf-8'

const ignore = () => {}
const never = () => false

/** A protocol at work on a connection. */
function begun<State>(protocol: Protocol<State>, connection: Connection) {
  const state = protocol.begin(connection)
  return {
    answers: protocol.isPong !== undefined,
    isPong: protocol.isPong ?? never,
    receive: (data: Buffer) => protocol.receive(connection, state, data),
    keepAlive: () => protocol.keepAlive(connection, state),
  }
}

/** The newer protocol where it is all that is offered beside unknown ones; clients that offer both get the older one. */
function chosenProtocol(offered: ReadonlySet<string>): string {
  const isNewer = offered.has(transportWsProtocol.name) && !offered.has(apolloProtocol.name)
  return isNewer ? transportWsProtocol.name : apolloProtocol.name
}

/** Answers an upgrade over HTTP; the connection is closed, whatever the client does with its end. */
function answer(socket: Duplex, status: number, headers: readonly string[], body: string): void {
  socket.once('finish', () => socket.destroy())
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
