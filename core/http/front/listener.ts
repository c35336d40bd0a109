// The Node server below Fastify: timeouts of connections, and checks that run before a request is read. They have to
// cost almost nothing per request.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { TrellisError } from '../../errors/errors.ts'
import { createServer } from '../node-http.ts'
import { checkInterval, headersTimeout, keepAliveTimeout, stallCheckInterval } from '../tuning.ts'
import { applyCors, type CorsPolicy } from './cors.ts'
import type { Gate } from './gate.ts'
import { inTurn } from './pipelining.ts'
import { JoiningResponse } from './response.ts'

export interface ListenerOptions {
  /** Seconds without progress after which a client that does not read its response is disconnected. */
  readonly stallTimeout: number
  /** Seconds that a client may take to read its whole response. */
  readonly sendTimeout: number
  /** Seconds within which a request must have arrived. */
  readonly readTimeout: number
  /** The largest headers of a request in bytes. */
  readonly maxHeaderSize: number
  readonly cors: CorsPolicy | null
  readonly gate: Gate
  /** Whether to record the arrival time of each request. */
  readonly timed: boolean
  /** The server that handles upgrades for this one; absent: this server does. */
  readonly main?: Server
}

declare module 'node:http' {
  interface IncomingMessage {
    /** When the headers were complete, by `performance.now()`; absent if requests are not logged. */
    arrivedAt?: number
    /** The error to answer with, whatever the route is. */
    refusal?: TrellisError
  }
}

declare module 'node:net' {
  interface Socket {
    /** How many requests of this connection have reached the point of being answered. */
    answers?: number
  }
}

/** A slow sender holds only a connection, and is disconnected after its timeout. */
function timeoutsOf(readTimeout: number) {
  const requestTimeout = readTimeout * 1000
  return {
    keepAliveTimeout,
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    connectionsCheckingInterval: Math.min(checkInterval, requestTimeout / 4),
  }
}

/** Creates a server that passes requests to `handle`. */
export function createListener(handle: RequestListener, options: ListenerOptions): Server {
  const { main, gate } = options
  const pass = passer(handle, options)
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => {
    const isTaken = isForWebSocket(request) && (main ?? server).listenerCount('upgrade') > 0 && gate(request) === null
    if (isTaken) request.socket.isInUse = true
    return isTaken
  }
  const take = inTurn(pass)
  // Node's own refusal has no body, so a missing `Host` is refused here.
  const settings = {
    ...timeoutsOf(options.readTimeout),
    maxHeaderSize: options.maxHeaderSize,
    requireHostHeader: false,
    shouldUpgradeCallback,
    ServerResponse: JoiningResponse,
  }
  const server = createServer(settings, take)
  server.on('checkExpectation', take)
  if (main) server.on('upgrade', (...upgraded) => main.emit('upgrade', ...upgraded))
  server.setTimeout(0)
  // 0 removes Node's limit on the number of headers; their bytes are limited. Node would drop headers from the end,
  // where proxies add theirs.
  server.maxHeadersCount = 0
  cutStalledClients(server, options)
  return server
}

/** Whether a client asks for a WebSocket. An offer to upgrade to HTTP/2 is answered over HTTP/1.1. */
export const isForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /^(?:.*,)?\s*websocket\s*(?:,.*)?$/i.test(headers.upgrade)

/** Returns the function that handles a request before Fastify. */
function passer(handle: RequestListener, { cors, gate, timed }: ListenerOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (timed) request.arrivedAt = performance.now()
    const { socket } = request
    socket.answers = (socket.answers ?? 0) + 1
    const { origin } = request.headers
    const refusal = protocolRefusal(request) ?? gate(request)
    if (refusal !== null) request.refusal = refusal
    // A refused page gets no CORS headers either.
    const isServed = refusal === null || refusal.status !== 403
    if (origin !== undefined && cors !== null && isServed && applyCors(cors, origin, request, response)) return
    if (refusal === null && isPreflight(request)) request.refusal = unlistedOrigin(request.headers.origin, cors)
    handle(request, response)
  }
}

/** Whether a request is a CORS preflight. */
const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Browsers hide the reason from the page. It shows in the browser's network list and in the log. */
function unlistedOrigin(origin: string | undefined, cors: CorsPolicy | null): TrellisError {
  const reason = cors === null ? 'CORS is disabled' : '--cors-domain does not list it'
  return new TrellisError(403, 'access-denied', `pages of the origin "${origin}" may not call: ${reason}`)
}

/** Refuses a request without `Host`, which HTTP/1.1 requires, or with an unknown expectation. */
function protocolRefusal({ headers, httpVersion }: IncomingMessage): TrellisError | null {
  if (headers.host === undefined && httpVersion === '1.1') {
    return new TrellisError(400, 'bad-request', 'the header Host is missing')
  }
  if (headers.expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect)) return null
  return new TrellisError(417, 'bad-request', 'the only expectation that is met is 100-continue')
}

/** The response that a connection is sending. */
interface Sending {
  /** Its number on this connection; null if nothing is waiting to be sent. */
  answer: number | null
  /** When it was first seen waiting, by `performance.now()`. */
  since: number
}

/**
 * Sets a timeout on connections while they have unsent bytes. Node counts bytes that the client takes as activity,
 * and destroys the connection after a time without any. The total time of one response is limited here.
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
    const watch = setInterval(look, Math.min(stallCheckInterval, stall / 2, send / 2))
    server.once('close', () => clearInterval(watch))
  })
}
