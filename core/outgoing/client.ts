// Requests to other servers: webhooks, key sets. One place for what holds for all of them: default headers, bodies with
// a length, a limit on time and size, and redirects, which only a dialect allows since they can lead into the network.

import { LRUCache } from 'lru-cache'
import type { Agent, Dispatcher } from 'undici'
import { Wrapping } from '../engine/wrapping.ts'
import { codeOf } from '../errors/thrown.ts'
import type { Dialect } from '../names/dialect.ts'
import { connectorBy, type Egress } from './egress.ts'
import { exchange, longestTimer } from './exchange.ts'
import { withDefaults } from './headers.ts'
import { OutgoingError } from './outgoing-error.ts'
import type { Outgoing, OutgoingRequest, OutgoingResponse, OutgoingSocket, OutgoingStream } from './request.ts'
import { openSocket } from './socket.ts'
import { isHttpUrl } from './url.ts'

export { OutgoingError } from './outgoing-error.ts'
export type * from './request.ts'

interface Transport {
  /** Has the connections. */
  readonly agent: Agent
  /** Sends by the agent, following redirects where that is allowed. */
  readonly dispatcher: Dispatcher
}

export interface OutgoingOptions {
  /** Put around requests; absent: nothing. */
  readonly wrapping?: Pick<Wrapping, 'outgoing'>
  /** What may be reached; absent: everything. */
  readonly egress?: Egress | null
}

export class OutgoingClient implements Outgoing {
  readonly #dialect: Dialect
  readonly #wrapping: Pick<Wrapping, 'outgoing'>
  #transport: Promise<Transport> | undefined

  readonly #egress: Egress | null

  constructor(dialect: Dialect, { wrapping = new Wrapping(), egress = null }: OutgoingOptions = {}) {
    this.#dialect = dialect
    this.#wrapping = wrapping
    this.#egress = egress
  }

  send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const around = this.#wrapping.outgoing
    return around ? around(request, (changed) => this.#send(changed)) : this.#send(request)
  }

  async open(request: OutgoingRequest): Promise<OutgoingStream> {
    let stream: OutgoingStream | undefined
    const open = async (changed: OutgoingRequest): Promise<OutgoingResponse> => {
      stream = await this.#open(changed)
      return { status: stream.status, headers: stream.headers, body: Buffer.alloc(0), isCut: true }
    }
    const around = this.#wrapping.outgoing
    const { status, headers } = await (around ? around(request, open) : open(request))
    if (!stream) throw new Error('a request was answered without being sent, and has no stream')
    return { status, headers, body: stream.body }
  }

  socket({ use, ...given }: OutgoingSocket): Promise<OutgoingResponse> {
    const open = async (request: OutgoingRequest): Promise<OutgoingResponse> => {
      checkUrl(request.url)
      const { 'content-type': _, ...headers } = withDefaults(request.headers ?? {}, this.#dialect)
      return openSocket({ request, headers, egress: this.#egress }, use)
    }
    const request: OutgoingRequest = { method: 'GET', ...given }
    const around = this.#wrapping.outgoing
    return around ? around(request, open) : open(request)
  }

  async #send(request: OutgoingRequest): Promise<OutgoingResponse> {
    try {
      const options = this.#optionsOf(request)
      const { dispatcher } = await this.#connections()
      return await exchange(dispatcher, options, request)
    } catch (error) {
      throw failureOf(error, null)
    }
  }

  async #open(request: OutgoingRequest): Promise<OutgoingStream> {
    const { timeout } = request
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), Math.min(timeout, longestTimer))
    try {
      const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal
      const { statusCode: status, headers, body } = await this.#dispatch(request, signal)
      return { status, headers, body: streamed(body) }
    } catch (error) {
      throw failureOf(error, limit.signal.aborted ? timeout : null)
    } finally {
      clearTimeout(timer)
    }
  }

  async #dispatch(request: OutgoingRequest, signal: AbortSignal) {
    const options = this.#optionsOf(request)
    const { dispatcher } = await this.#connections()
    return dispatcher.request({ ...options, signal })
  }

  #optionsOf({ method, url, headers, body }: OutgoingRequest) {
    const { origin, path } = targetOf(url)
    return { origin, path, method, headers: withDefaults(headers ?? {}, this.#dialect), body: body ?? null }
  }

  #connections(): Promise<Transport> {
    this.#transport ??= createTransport(this.#dialect.redirects, this.#egress)
    return this.#transport
  }

  /** Ends connections; requests in flight are given up. */
  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined)
    await transport?.agent.destroy()
  }
}

/** Loaded on first use: the library costs a start more than most servers ever need of it. */
async function createTransport(redirects: number, egress: Egress | null): Promise<Transport> {
  const { Agent, buildConnector, interceptors } = await import('undici')
  // The limit on the whole exchange is the only one.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(egress && { connect: connectorBy(egress, buildConnector) }),
  })
  const dispatcher = redirects === 0 ? agent : agent.compose(interceptors.redirect({ maxRedirections: redirects }))
  return { agent, dispatcher }
}

interface Target {
  readonly origin: string
  readonly path: string
}

/** URLs that were looked at: those of webhooks and servers are few, and asked again and again. */
const targets = new LRUCache<string, Target>({ max: 1000 })

function targetOf(url: string): Target {
  const known = targets.get(url)
  if (known) return known
  checkUrl(url)
  const { origin, pathname, search } = new URL(url)
  const target = { origin, path: pathname + search }
  targets.set(url, target)
  return target
}

function checkUrl(url: string): void {
  if (!isHttpUrl(url)) throw new OutgoingError('invalid-url', 'Only expecting a URL such as https://host/path')
}

/** Why there is no answer; `timeout`: within which there was none, where that is why. */
function failureOf(error: unknown, timeout: number | null): OutgoingError {
  if (error instanceof OutgoingError) return error
  if (timeout !== null) return new OutgoingError('timeout', `no answer within ${timeout / 1000} s`, error)
  return new OutgoingError('connection', reasonOf(error), error)
}

async function* streamed(body: Dispatcher.ResponseData['body']): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>
  } catch (error) {
    throw failureOf(error, null)
  }
}

/** Several addresses of a host fail under one error without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.message || (codeOf(error) ?? error.name)
}
