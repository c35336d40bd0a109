// The Node server below Fastify: what concerns connections rather than requests, at no cost per request.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { applyCors, type OriginCheck } from './cors.ts'

export interface ListenerOptions {
  /** Seconds without progress after which a client that does not read its answer is cut off. */
  readonly stallTimeout: number
  readonly origins: OriginCheck | null
}

/** Slowloris: headers must have arrived within a minute, the whole request within five. */
const limits = { headersTimeout: 60_000, requestTimeout: 300_000, keepAliveTimeout: 72_000 }

/** A server that passes requests on to `handle`. */
export function createListener(handle: RequestListener, options: ListenerOptions): Server {
  const { origins } = options
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const origin = request.headers.origin
    if (origin !== undefined && origins !== null && applyCors(origins, origin, request, response)) return
    handle(request, response)
  }
  const server = createServer(limits, (request, response) => {
    // A pipelined request waits for the answers before it, so that a connection holds one answer at a time.
    if (response.socket === null) response.once('socket', () => pass(request, response))
    else pass(request, response)
  })
  server.setTimeout(0)
  cutStalledClients(server, options.stallTimeout * 1000)
  return server
}

/** Looks around for connections with unsent bytes, and has Node watch those for progress. */
function cutStalledClients(server: Server, timeout: number): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(0)
  })
  const watch = setInterval(
    () => {
      for (const socket of sockets) if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(timeout)
    },
    Math.min(1000, timeout / 2),
  )
  watch.unref()
  server.once('close', () => clearInterval(watch))
}
