// Creates the Fastify instance, answers requests that match no route, and mounts the routes of plugins.

import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { flatError, notFound, TrellisError } from '../errors/errors.ts'
import type { Observer } from '../log/observe.ts'
import { forgetMalformedTypes } from './body/body-reading.ts'
import { corsPolicy } from './front/cors.ts'
import { type CookieUse, createGate, type Gate } from './front/gate.ts'
import { createListener, type ListenerOptions } from './front/listener.ts'
import type { ServerSettings } from './options.ts'
import { newRequestId } from './request-ids.ts'
import { flatErrors, jsonType, sendError } from './route/answer.ts'
import type { ErrorEncoder, Route, RouteUrl } from './route/declared-route.ts'
import { type RouteContext, routeHandler } from './route/route.ts'
import { arrivalMillis, closingInterval } from './tuning.ts'

export interface HttpOptions {
  readonly settings: ServerSettings
  readonly observe: Observer
  /** Tells which requests a cookie authenticates; null if no authentication uses cookies. */
  readonly auth: CookieUse
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The number of open client connections. */
    countConnections(): Promise<number>
    /** The reason to refuse a request whatever its route is; null if it is admitted. */
    refusalOf: Gate
  }
}

/** Answers a request that is not valid HTTP, or that did not arrive in time. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) return
  const [status, reason] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? [408, 'Request Timeout']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? [431, 'Request Header Fields Too Large']
        : [400, 'Bad Request']
  const body = JSON.stringify(flatError(new TrellisError(status, 'bad-request', reason.toLowerCase()), false))
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
}

/** The id of a request. A new one joins its headers, so that it is forwarded as one of the client would be. */
function withRequestId({ headers }: IncomingMessage): string {
  headers['x-request-id'] ||= newRequestId()
  return String(headers['x-request-id'])
}

export interface HttpServer {
  readonly app: FastifyInstance
  /** Listens on another address, in addition to the address that `app` listens on. */
  alsoListen(host: string, port: number): Promise<void>
  /** Stops accepting connections, waits for requests in flight within the graceful timeout, then cuts the rest. */
  close(): Promise<void>
}

/** The listeners, and the sockets that they accepted. */
interface Accepting {
  readonly listeners: Server[]
  readonly sockets: Set<Socket>
}

function newListener({ listeners, sockets }: Accepting, ...how: Parameters<typeof createListener>): Server {
  const listener = createListener(...how)
  listener.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  listeners.push(listener)
  return listener
}

/** Creates the application without routes. */
export function createHttp(options: HttpOptions): HttpServer {
  const { settings, observe } = options
  const accepting: Accepting = { listeners: [], sockets: new Set() }
  const listenerOptions: ListenerOptions = {
    cors: corsPolicy(settings),
    gate: createGate(settings, options.auth),
    timed: observe.isEnabled('http-log', 'info'),
    readTimeout: settings.requestReadTimeout,
    maxHeaderSize: settings.maxTotalHeaderLength,
    stallTimeout: settings.responseStallTimeout,
    sendTimeout: settings.responseSendTimeout,
  }
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodySize,
    exposeHeadRoutes: true,
    // Requests on open connections are still answered while the server stops; then the connection is closed.
    return503OnClosing: false,
    pluginTimeout: 0,
    clientErrorHandler: refuseConnection,
    // A path that cannot be decoded matches no route.
    frameworkErrors: (error, request, reply) => {
      const failure = request.raw.refusal ?? (error.code === 'FST_ERR_BAD_URL' ? notFound() : error)
      sendError(request, reply, { error: failure, exchange: null, encode: flatErrors }, options)
    },
    genReqId: withRequestId,
    serverFactory: (handle) => newListener(accepting, handle, listenerOptions),
  })
  discardUnknownBodies(app)
  app.decorateRequest('exchange', null)
  app.decorate('countConnections', () => countConnections(accepting.listeners))
  app.decorate('refusalOf', listenerOptions.gate)
  forgetMalformedTypes(app)
  refuseByGate(app, options)
  answerTheRest(app, options)
  return {
    app,
    async alsoListen(host, port) {
      const listener = newListener(accepting, app.routing, { ...listenerOptions, main: app.server })
      listener.on('clientError', refuseConnection)
      listener.listen({ host, port })
      await once(listener, 'listening')
    },
    close: () => closeGracefully(app, accepting, settings.gracefulShutdownTimeout * 1000),
  }
}

async function countConnections(listeners: readonly Server[]): Promise<number> {
  const count = (listener: Server) =>
    new Promise<number>((resolve) => listener.getConnections((_error, number) => resolve(number ?? 0)))
  const counts = await Promise.all(listeners.map(count))
  return counts.reduce((sum, number) => sum + number, 0)
}

async function closeGracefully(
  app: FastifyInstance,
  { listeners, sockets }: Accepting,
  timeout: number,
): Promise<void> {
  const begun = performance.now()
  // A connection whose last request ends after closing began would stay open for another request.
  const sweep = setInterval(() => {
    for (const listener of listeners) listener.closeIdleConnections()
    // Node counts a connection without any request, such as browsers keep ready, as busy.
    if (performance.now() - begun < arrivalMillis) return
    for (const socket of sockets) if (!socket.isInUse) socket.destroy()
  }, closingInterval)
  const late = setTimeout(() => {
    for (const listener of listeners) listener.closeAllConnections()
  }, timeout)
  const others = listeners.filter((listener) => listener !== app.server && listener.listening)
  const ended = others.map((listener) => new Promise((done) => listener.close(done)))
  try {
    await Promise.all([app.close(), ...ended])
  } finally {
    clearInterval(sweep)
    clearTimeout(late)
    // Fastify does not close the listener if a hook fails.
    for (const listener of listeners) if (listener.listening) listener.close()
  }
}

/** Refuses a request before its route is looked at, because the refusal applies to every route. */
function refuseByGate(app: FastifyInstance, options: HttpOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { refusal } = request.raw
    if (refusal === undefined) done()
    else sendError(request, reply, { error: refusal, exchange: null, encode: flatErrors }, options)
  })
}

/** Discards the body of a request to an unknown path. Fastify would read it whole to parse it. */
function discardUnknownBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    // Encapsulated parts of the application may have their own handlers for unknown paths below theirs.
    if (request.is404 && request.server === app) done(notFound())
    else done()
  })
}

/** Answers requests that match no route, and errors of routes that are not a plugin's `Route`. */
function answerTheRest(app: FastifyInstance, options: HttpOptions): void {
  app.setNotFoundHandler((request, reply) => {
    sendError(request, reply, { error: notFound(), exchange: null, encode: flatErrors }, options)
  })
  app.setErrorHandler((failure, request, reply) => {
    // An unknown path gives 404 even if the body is malformed.
    const error = request.is404 ? notFound() : failure
    sendError(request, reply, { error, exchange: null, encode: flatErrors }, options)
  })
}

/** Mounts a plugin's route. */
export function mountRoute(scope: FastifyInstance, route: Route, context: RouteContext): void {
  const encode = route.errors ?? flatErrors
  // An unreadable body has the same status on every endpoint.
  const unreadable: ErrorEncoder = (error, _, headers) => ({ ...encode(error, false, headers), status: error.status })
  scope.route<RouteUrl>({
    method: route.method,
    url: route.url,
    handler: routeHandler(route, context),
    errorHandler: (error, request, reply) => {
      sendError(request, reply, { error, exchange: null, encode: unreadable }, context)
    },
  })
}
