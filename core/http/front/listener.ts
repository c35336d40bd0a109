// The Node server below Fastify: what concerns connections, and what is decided before a request is read, at hardly any
// cost per request.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { TrellisError } from '../../errors/errors.ts'
import { applyCors, type CorsPolicy } from './cors.ts'
import type { Gate } from './gate.ts'
import { inTurn } from './pipelining.ts'
import { JoiningResponse } from './response.ts'

export interface ListenerOptions {
  /** Seconds without progress after which a client that does not read its answer is cut off. */
  readonly stallTimeout: number
  /** Seconds after which a client must have taken its answer. */
  readonly sendTimeout: number
  /** Seconds after which a request must have arrived. */
  readonly readTimeout: number
  readonly cors: CorsPolicy | null
  readonly gate: Gate
  /** Whether requests are stamped with the moment they arrived. */
  readonly timed: boolean
  /** The server that takes the upgraded connections of this one; absent: this one does. */
  readonly main?: Server
}

declare module 'node:http' {
  interface IncomingMessage {
    /** When the headers had arrived, on the clock of `performance.now()`; absent while nothing is logged. */
    arrivedAt?: number
    /** Why it is answered with an error, whatever it asks for. */
    refusal?: TrellisError
  }
}

declare module 'node:net' {
  interface Socket {
    /** How many requests it has brought to the point of being answered. */
    answers?: number
  }
}

/** Milliseconds that the headers of a request may take, that an idle connection is kept, and between two looks at all. */
const headersTimeout = 60_000
const keepAliveTimeout = 72_000
const checkInterval = 30_000

/** Clients that send slowly hold a connection, and nothing else: they are cut off when their time is over. */
function timeoutsOf(readTimeout: number) {
  const requestTimeout = readTimeout * 1000
  return {
    keepAliveTimeout,
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    connectionsCheckingInterval: Math.min(checkInterval, requestTimeout / 4),
  }
}

/** A server that passes requests on to `handle`. */
export function createListener(handle: RequestListener, options: ListenerOptions): Server {
  const { main, gate } = options
  const pass = passer(handle, options)
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => {
    const isTaken = isForWebSocket(request) && (main ?? server).listenerCount('upgrade') > 0 && gate(request) === null
    if (isTaken) request.socket.isInUse = true
    return isTaken
  }
  const take = inTurn(pass)
  // Node's own refusals say nothing: what it would refuse is refused here.
  const settings = {
    ...timeoutsOf(options.readTimeout),
    requireHostHeader: false,
    shouldUpgradeCallback,
    ServerResponse: JoiningResponse,
  }
  const server = createServer(settings, take)
  server.on('checkExpectation', take)
  if (main) server.on('upgrade', (...upgraded) => main.emit('upgrade', ...upgraded))
  server.setTimeout(0)
  // Their bytes are limited. Of more than so many Node passes over the last ones, which are those that a proxy has added.
  server.maxHeadersCount = 0
  cutStalledClients(server, options)
  return server
}

/** Whether a client asks for a WebSocket; who offers HTTP/2 in the same way is answered over HTTP/1.1. */
export const isForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /^(?:.*,)?\s*websocket\s*(?:,.*)?$/i.test(headers.upgrade)

/** What is done with a request before Fastify sees it. */
function passer(handle: RequestListener, { cors, gate, timed }: ListenerOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (timed) request.arrivedAt = performance.now()
    const { socket } = request
    socket.answers = (socket.answers ?? 0) + 1
    const { origin } = request.headers
    const refusal = protocolRefusal(request) ?? gate(request)
    if (refusal !== null) request.refusal = refusal
    forgetMalformedType(request)
    // A page that is not served is not told about it either.
    const isServed = refusal === null || refusal.status !== 403
    if (origin !== undefined && cors !== null && isServed && applyCors(cors, origin, request, response)) return
    if (refusal === null && isPreflight(request)) request.refusal = unlistedOrigin(request.headers.origin, cors)
    handle(request, response)
  }
}

/** Whether a browser asks for a page whether that may send a request. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Browsers tell the page nothing of it: whoever looks for the reason finds it in their list of requests, and in the log. */
function unlistedOrigin(origin: string | undefined, cors: CorsPolicy | null): TrellisError {
  const reason = cors === null ? 'CORS is disabled' : '--cors-domain does not list it'
  return new TrellisError(403, 'access-denied', `pages of the origin "${origin}" may not call: ${reason}`)
}

/** Of what HTTP/1.1 demands of a request, and of what is not answered. */
function protocolRefusal({ headers, httpVersion }: IncomingMessage): TrellisError | null {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new TrellisError(400, 'bad-request', 'the header Host is missing')
  }
  if (headers.expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)) return null
  return new TrellisError(417, 'bad-request', 'the only expectation that is met is 100-continue')
}

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/

/** Bodies are taken whatever their type; Fastify refuses those whose type is malformed, and takes those that have none. */
function forgetMalformedType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type === undefined || type === 'application/json' || mediaType.test(type)) return
  delete headers['content-type']
}

/** Milliseconds between two looks at what connections have not sent, at most. */
const longestPause = 5000

/** The answer that a connection is sending. */
interface Sending {
  /** Which of the connection's it is; null while nothing waits to be sent. */
  answer: number | null
  /** When it was first seen to wait, on the clock of `performance.now()`. */
  since: number
}

/**
 * Gives connections with unsent bytes a timeout while they have any. Node counts bytes that the client takes as activity
 * and destroys the connection when there was none for so long; one answer's time is limited here.
 */
function cutStalledClients(server: Server, options: Pick<ListenerOptions, 'stallTimeout' | 'sendTimeout'>): void {
  const [stall, send] = [options.stallTimeout * 1000, options.sendTimeout * 1000]
  const sockets = new Map<Socket, Sending>()
  server.on('connection', (socket) => {
    sockets.set(socket, { answer: null, since: 0 })
    socket.once('close', () => sockets.delete(socket))
  })
  const look = () => {
    for (const [socket, sending] of sockets) {
      if (socket.writableLength === 0) {
        sending.answer = null
        if (socket.timeout === stall) socket.setTimeout(0)
        continue
      }
      if (!socket.timeout) socket.setTimeout(stall)
      const { answers = 0 } = socket
      if (sending.answer !== answers) Object.assign(sending, { answer: answers, since: performance.now() })
      else if (performance.now() - sending.since > send) socket.destroy()
    }
  }
  server.once('listening', () => {
    const watch = setInterval(look, Math.min(longestPause, stall / 2, send / 2))
    server.once('close', () => clearInterval(watch))
  })
}
