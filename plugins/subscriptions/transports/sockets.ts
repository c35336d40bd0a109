// The WebSockets of the server: upgrades, keep-alive, and shutdown.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type CorsPolicy, corsPolicy, isSameOrigin, reasonPhrase, toAnswerable } from '../../../sdk/http.ts'
import { type Engine, flatError, graphqlError, notFound, TrellisError } from '../../../sdk/index.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import { levelOf, messageOfEvent } from '../log.ts'
import type { SocketOptions } from '../options.ts'
import { apolloProtocol } from './apollo.ts'
import { upgradeHeaders } from './client-headers.ts'
import { Connection } from './connection.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { type Endpoint, endpointOf } from './endpoints.ts'
import { Inbox } from './inbox.ts'
import { KeepAlive } from './keep-alive.ts'
import type { Protocol } from './protocol.ts'
import { transportWsProtocol } from './transport-ws.ts'

export interface SocketsOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly limits: SocketOptions
  readonly limit: ConnectionLimit
}

export class Sockets {
  readonly #options: SocketsOptions
  readonly #server: WebSocketServer
  readonly #cors: CorsPolicy | null
  readonly #keepAlive: KeepAlive
  #isStopping = false
  /** Bytes of messages of closed connections. */
  #past = { sent: 0, received: 0 }

  constructor(options: SocketsOptions) {
    this.#options = options
    const { engine, limits } = options
    this.#keepAlive = new KeepAlive(limits.keepAlive)
    this.#cors = corsPolicy(engine.settings)
    this.#server = new WebSocketServer({
      ...{ noServer: true, clientTracking: false, autoPong: false },
      maxPayload: limits.maxMessageSize,
      perMessageDeflate: limits.compression,
      handleProtocols: (offered) => chosenProtocol(offered),
    })
  }

  get connections(): readonly Connection[] {
    return this.#keepAlive.connections
  }

  /** Bytes of messages since the start. */
  get bytes(): { readonly sent: number; readonly received: number } {
    const total = { ...this.#past }
    for (const { outbox, received } of this.connections) {
      total.sent += outbox.bytes
      total.received += received
    }
    return total
  }

  /** Handles the upgrades of the server. */
  attach(): void {
    const { app } = this.#options.engine
    app.server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
    this.#keepAlive.begin()
  }

  /** Closes all connections with a code on which clients reconnect. */
  stop(): void {
    this.#isStopping = true
    this.#keepAlive.stop()
    for (const connection of this.connections) connection.close(1012, 'shutting server down')
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The client may disconnect while it is refused.
    socket.on('error', ignore)
    if (this.#isStopping) {
      answer(socket, 503, ['Retry-After: 0', 'Content-Type: text/plain'], 'Server is shutting down')
      return
    }
    // The server usually checks requests earlier; old versions of Node and servers that embed the engine do not.
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
      release = this.#options.limit.acquire(address)
      socket.once('close', release)
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off('error', ignore)
        this.#serve(webSocket, { request, stream: socket, endpoint, withCookie, address })
      })
    } catch (error) {
      release?.()
      this.#refuse(socket, toAnswerable(error, this.#options.engine.observe))
    }
  }

  /** Refuses forbidden origins that the server's own check let pass; gives whether cookies count. */
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
    const { observe, dialect } = this.#options.engine
    const info = { websocket_id: '', token_expiry: null, msg: error.message }
    const event = { type: 'rejected', detail: graphqlError(error, false) } as const
    const detail = { event, connection_info: info, user_vars: null }
    const level = levelOf(event, dialect, error.status)
    observe.log({ type: 'websocket-log', level, detail, message: messageOfEvent(event) })
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
    const { receive, isPong, ...callbacks } = isTransportWs
      ? begun(transportWsProtocol, connection)
      : begun(apolloProtocol, connection)
    const kept = this.#keepAlive.keep({ connection, ...callbacks })
    // A client that does not receive answers may not start operations, and messages after the close are ignored.
    const handle = (data: Buffer): Promise<void> | void => {
      if (!connection.isOpen) return
      return connection.outbox.isFull ? connection.outbox.room().then(() => handle(data)) : receive(data)
    }
    const inbox = new Inbox({ receive: handle, pause: () => socket.pause(), resume: () => socket.resume() })
    socket.on('message', (data: Buffer) => {
      kept.silent = 0
      connection.received += data.length
      if (!isPong(data)) inbox.put(data)
    })
    socket.on('ping', (data) => {
      kept.silent = 0
      if (!connection.outbox.isFull) socket.pong(data)
    })
    socket.on('pong', () => {
      kept.silent = 0
    })
    // The timeout runs while bytes wait to be sent, and restarts whenever the client receives some.
    request.socket.once('timeout', () => connection.close(1013, 'the client does not take what it is sent'))
    // The library closes the socket with the matching code after an invalid frame.
    socket.on('error', (error) => connection.log({ type: 'conn_err', detail: error.message }))
    socket.once('close', (code, reason) => {
      this.#keepAlive.drop(kept)
      this.#past.sent += connection.outbox.bytes
      this.#past.received += connection.received
      connection.ended(code, reason.toString())
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

/** Binds a protocol to a connection. */
function begun<State>(protocol: Protocol<State>, connection: Connection) {
  const state = protocol.begin(connection)
  return {
    answers: protocol.isPong !== undefined,
    isPong: protocol.isPong ?? never,
    receive: (data: Buffer) => protocol.receive(connection, state, data),
    keepAlive: () => protocol.keepAlive(connection, state),
  }
}

/** The newer protocol if the client offers it and not the older one. Clients that offer both get the older one. */
function chosenProtocol(offered: ReadonlySet<string>): string {
  const isNewer = offered.has(transportWsProtocol.name) && !offered.has(apolloProtocol.name)
  return isNewer ? transportWsProtocol.name : apolloProtocol.name
}

/** Answers an upgrade over HTTP and closes the connection. */
function answer(socket: Duplex, status: number, headers: readonly string[], body: string): void {
  socket.once('finish', () => socket.destroy())
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrase(status)}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
