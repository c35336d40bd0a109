// Manages WebSockets and event streams of mounted engines. The application's server has one upgrade listener for all
// engines in it. It passes their upgrades through the application's hooks and leaves other upgrades to their usual
// handlers.

import type { IncomingMessage, ServerResponse as Response, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { RunningEngine } from '../../core/engine/engine.ts'
import { isForWebSocket } from '../../core/http/front/listener.ts'
import { ServerResponse } from '../../core/http/node-http.ts'

/** Whether a request is for the mounted engine. */
type IsMine = (request: IncomingMessage) => boolean

interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** The server of an application. Newer versions of Node ask it which requests are upgrades. */
interface Upgrading extends Server {
  shouldUpgradeCallback?(request: IncomingMessage): boolean
}

/** The state that the engines of one server share. */
interface Mounted {
  readonly engines: Set<IsMine>
  /** Upgrades that are in the hooks of the application. */
  readonly underway: WeakMap<IncomingMessage, Upgrade>
}

const mountedIn = new WeakMap<Server, Mounted>()

/** The connections of an engine mounted in `scope`; `isMine` recognizes its upgrades by their target. */
export class MountedConnections {
  readonly #engine: RunningEngine
  readonly #mounted: Mounted
  readonly #open = new Set<Duplex>()
  readonly #answers = new Set<Response>()

  constructor(scope: FastifyInstance, engine: RunningEngine, isMine: IsMine) {
    this.#engine = engine
    const server: Upgrading = scope.server
    this.#mounted = mountedIn.get(server) ?? takeUpgrades(scope, server)
    this.#mounted.engines.add(isMine)
  }

  /** Closes all connections. */
  end(): void {
    for (const socket of this.#open) socket.destroy()
    for (const response of this.#answers) endAnswer(response)
  }

  /** Registers a response that may be an event stream, so that `end` closes it. */
  watch(response: Response): void {
    this.#answers.add(response)
    response.once('close', () => this.#answers.delete(response))
  }

  /** Whether the request is an upgrade for the engine. */
  has(request: IncomingMessage): boolean {
    return this.#mounted.underway.has(request) && this.#engine.app.server.listenerCount('upgrade') > 0
  }

  /** Passes on an upgrade after the application's hooks. */
  take(request: IncomingMessage, response: Response): void {
    const { socket, head } = this.#mounted.underway.get(request)!
    this.#mounted.underway.delete(request)
    response.detachSocket(request.socket)
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    this.#engine.app.server.emit('upgrade', request, socket, head)
  }
}

/** Ends a stream and its connection. */
function endAnswer(response: Response): void {
  const { headersSent, socket } = response
  if (headersSent) response.end(() => socket?.destroySoon())
}

/** Installs the upgrade listener for all engines of a server. */
function takeUpgrades(scope: FastifyInstance, server: Upgrading): Mounted {
  const engines = new Set<IsMine>()
  const underway = new WeakMap<IncomingMessage, Upgrade>()
  const isTaken = (request: IncomingMessage) =>
    isForWebSocket(request) && [...engines].some((isMine) => isMine(request))
  const others = () => server.listenerCount('upgrade') - 1
  const asked = server.shouldUpgradeCallback
  if (asked) {
    server.shouldUpgradeCallback = (request) => isTaken(request) || (others() > 0 && asked.call(server, request))
  }
  const answer = (request: IncomingMessage, socket: Duplex) => {
    const response = new ServerResponse(request)
    try {
      response.assignSocket(request.socket)
    } catch {
      // Another plugin, such as @fastify/websocket, passes all upgrades through the application.
      return
    }
    response.shouldKeepAlive = false
    response.once('finish', () => request.socket.destroySoon())
    socket.on('error', ignore)
    scope.routing(request, response)
  }
  // The first hook, so that it runs before others pass the request on.
  scope.addHook('onReady', (done) => {
    server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isTaken(request)) {
        underway.set(request, { socket, head })
        process.nextTick(() => underway.has(request) && answer(request, socket))
      } else if (others() === 0) answer(request, socket)
    })
    done()
  })
  const mounted = { engines, underway }
  mountedIn.set(server, mounted)
  return mounted
}

const ignore = () => {}
