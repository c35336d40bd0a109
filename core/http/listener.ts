// The Node server below Fastify: what concerns connections rather than requests, at no cost per request.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { applyCors, type OriginCheck } from './cors.ts'

export interface ListenerOptions {
  /** Seconds without progress after which a client that does not read its answer is cut off. */
  readonly stallTimeout: number
  /** Seconds after which a request must have arrived. */
  readonly readTimeout: number
  readonly origins: OriginCheck | null
  /** Whether requests are stamped with the moment they arrived. */
  readonly timed: boolean
}

declare module 'node:http' {
  interface IncomingMessage {
    /** When the headers had arrived, on the clock of `performance.now()`; absent while nothing is logged. */
    arrivedAt?: number
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
  const { origins, timed } = options
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    if (timed) request.arrivedAt = performance.now()
    const origin = request.headers.origin
    if (origin !== undefined && origins !== null && applyCors(origins, origin, request, response)) return
    handle(request, response)
  }
  const server = createServer(timeoutsOf(options.readTimeout), (request, response) => {
    // A pipelined request waits for the answers before it, so that a connection holds one answer at a time.
    if (response.socket === null) response.once('socket', () => pass(request, response))
    else pass(request, response)
  })
  server.setTimeout(0)
  cutStalledClients(server, options.stallTimeout * 1000)
  return server
}

/**
 * Gives connections with unsent bytes a timeout while they have any. Node counts bytes that the client takes as activity
 * and destroys the connection when there was none for so long.
 */
function cutStalledClients(server: Server, timeout: number): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const look = () => {
    for (const socket of sockets) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(timeout)
      else if (socket.writableLength === 0 && socket.timeout === timeout) socket.setTimeout(0)
    }
  }
  server.once('listening', () => {
    const watch = setInterval(look, Math.min(1000, timeout / 2))
    server.once('close', () => clearInterval(watch))
  })
}
