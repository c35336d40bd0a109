// What stays open between clients and an engine inside of somebody's Fastify: WebSockets and streams of events. The
// application's server has one listener for the upgrades of all engines in it, which passes what is theirs through the
// application's hooks, and leaves the rest as it would be without them.

import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { RunningEngine } from '../../core/engine/engine.ts'
import { isForWebSocket } from '../../core/http/front/listener.ts'

/** Whether a mounted engine is asked for by a request. */
type IsMine = (request: IncomingMessage) => boolean

interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** The server of an application; newer versions of Node ask it which requests become upgrades. */
interface Upgrading extends Server {
  shouldUpgradeCallback?(request: IncomingMessage): boolean
}

/** What the engines in a server have in common. */
interface Mounted {
  readonly engines: Set<IsMine>
  /** Upgrades on their way through the hooks of the application. */
  readonly underway: WeakMap<IncomingMessage, Upgrade>
}

const mountedIn = new WeakMap<Server, Mounted>()

/** The connections of an engine mounted in `scope`; `isMine` tells its upgrades by their target. */
export class MountedConnections {
  readonly #engine: RunningEngine
  readonly #mounted: Mounted
  readonly #open = new Set<Duplex>()
  readonly #answers = new Set<ServerResponse>()

  constructor(scope: FastifyInstance, engine: RunningEngine, isMine: IsMine) {
    this.#engine = engine
    const server: Upgrading = scope.server
    this.#mounted = mountedIn.get(server) ?? takeUpgrades(scope, server)
    this.#mounted.engines.add(isMine)
  }

  /** Ends all. */
  end(): void {
    for (const socket of this.#open) socket.destroy()
    for (const response of this.#answers) endAnswer(response)
  }

  /** Has an answer ended with all others that may be a stream of events. */
  watch(response: ServerResponse): void {
    this.#answers.add(response)
    response.once('close', () => this.#answers.delete(response))
  }

  /** Whether the request is an upgrade that the engine takes. */
  has(request: IncomingMessage): boolean {
    return this.#mounted.underway.has(request) && this.#engine.app.server.listenerCount('upgrade') > 0
  }

  /** Hands an upgrade over that has come through the application's hooks. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket, head } = this.#mounted.underway.get(request)!
    this.#mounted.underway.delete(request)
    response.detachSocket(request.socket)
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    this.#engine.app.server.emit('upgrade', request, socket, head)
  }
}

/** Ends a stream with its connection. */
function endAnswer(response: ServerResponse): void {
  const { headersSent, socket } = response
  if (headersSent) response.end(() => socket?.destroySoon())
}

/** Listens for all engines of a server. */
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
      // Somebody else, such as @fastify/websocket, passes all upgrades through the application.
      return
    }
    response.shouldKeepAlive = false
    response.once('finish', () => request.socket.destroySoon())
    socket.on('error', ignore)
    scope.routing(request, response)
  }
  // It is the first one, so that it knows before others pass the request on.
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
