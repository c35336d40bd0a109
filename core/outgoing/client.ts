// Sends requests to other servers, such as webhooks and key sets. All of them get the default headers, a
// `Content-Length`, and a limit on time and size. Only a dialect allows redirects, because they can lead into the
// private network.

import type { Dispatcher } from 'undici'
import { longestTimer } from '../concurrency/timers.ts'
import type { Dialect } from '../names/dialect.ts'
import { askedCoding, codingsOf, streamCoding, unpackedStream } from './answer/content-coding.ts'
import { type ConnectorOptions, connector } from './connecting/connector.ts'
import type { Egress } from './connecting/egress.ts'
import { Openings } from './connecting/openings.ts'
import { type Dispatchers, exchange, failure } from './exchange.ts'
import { type OutgoingHeaders, typed, withDefaults } from './headers.ts'
import type {
  Outgoing,
  OutgoingHooks,
  OutgoingRequest,
  OutgoingResponse,
  OutgoingSocket,
  OutgoingStream,
  UnverifiedHosts,
} from './request.ts'
import { OutgoingError } from './request.ts'
import { openSocket } from './socket.ts'
import { mostPlaces } from './tuning.ts'
import { type Place, placeOf } from './url.ts'

export type * from './request.ts'
export { OutgoingError } from './request.ts'

interface Transport extends Dispatchers {
  /** Closes connections once their requests have ended. */
  end(): Promise<void>
  /** Closes all connections. */
  close(): Promise<void>
}

export interface OutgoingOptions {
  /** The hook around requests; absent: no hook. */
  readonly hooks?: OutgoingHooks
  /** The policy of reachable addresses; absent: all are reachable. */
  readonly egress?: Egress | null
}

export class OutgoingClient implements Outgoing {
  readonly #dialect: Dialect
  readonly #hooks: OutgoingHooks
  readonly #egress: Egress | null
  readonly #places = new Map<string, Place | null>()
  readonly #openings = new Openings()
  #isUnverified: UnverifiedHosts = () => false
  /** Transports whose requests have not ended. */
  readonly #former = new Map<Promise<Transport>, Promise<void>>()
  #transport: Promise<Transport> | undefined
  /** The transport, once it is loaded. */
  #opened: Transport | undefined

  constructor(dialect: Dialect, { hooks = { outgoing: null }, egress = null }: OutgoingOptions = {}) {
    this.#dialect = dialect
    this.#hooks = hooks
    this.#egress = egress
  }

  leaveUnverified(isUnverified: UnverifiedHosts): () => void {
    const others = this.#isUnverified
    this.#isUnverified = (hostname, port) => others(hostname, port) || isUnverified(hostname, port)
    return () => this.#renew()
  }

  /** Opens connections anew for the next requests; those in flight may end. */
  #renew(): void {
    const former = this.#transport
    if (!former) return
    this.#transport = undefined
    this.#opened = undefined
    const ending: Promise<void> = former
      .then((transport) => transport.end())
      .catch(() => {})
      .finally(() => this.#former.delete(former))
    this.#former.set(former, ending)
  }

  send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const around = this.#hooks.outgoing
    return around ? around(request, (changed) => this.#send(changed)) : this.#send(request)
  }

  async open(request: OutgoingRequest): Promise<OutgoingStream> {
    let stream: OutgoingStream | undefined
    const open = async (changed: OutgoingRequest): Promise<OutgoingResponse> => {
      stream = await this.#stream(changed)
      return { status: stream.status, headers: stream.headers, body: Buffer.alloc(0), isCut: true }
    }
    const around = this.#hooks.outgoing
    const { status, headers } = await (around ? around(request, open) : open(request))
    if (!stream) throw new Error('a hook answered the request without sending it, so there is no stream')
    return { status, headers, body: stream.body }
  }

  socket({ use, ...given }: OutgoingSocket): Promise<OutgoingResponse> {
    const open = async (request: OutgoingRequest): Promise<OutgoingResponse> => {
      if (!this.#placeOf(request.url)) throw invalidUrl()
      const { 'content-type': _, ...headers } = withDefaults(request.headers ?? {}, this.#dialect, streamCoding)
      const { hostname, port, protocol } = new URL(request.url)
      const isVerified = !/^(?:https|wss):$/.test(protocol) || !this.#isUnverified(hostname, port || '443')
      return openSocket({ request, headers, egress: this.#egress, openings: this.#openings, isVerified }, use)
    }
    const request: OutgoingRequest = { method: 'GET', ...given }
    const around = this.#hooks.outgoing
    return around ? around(request, open) : open(request)
  }

  async #stream({
    method,
    url,
    headers,
    contentType,
    body,
    timeout,
    signal,
  }: OutgoingRequest): Promise<OutgoingStream> {
    const place = this.#placeOf(url)
    if (!place) throw invalidUrl()
    const limit = new AbortController()
    const late = () => limit.abort(new OutgoingError('timeout', `no answer within ${timeout / 1000} s`))
    const timer = setTimeout(late, Math.min(timeout, longestTimer))
    try {
      const { usual } = this.#opened ?? (await this.#open())
      const { origin, path } = place
      const ending = signal ? AbortSignal.any([limit.signal, signal]) : limit.signal
      const options = {
        origin,
        path,
        method,
        headers: typed(this.#headers(place, headers, streamCoding), contentType),
        body: body ?? null,
        signal: ending,
      }
      const response = await usual.request(options)
      const { statusCode: status, headers: answered } = response
      return { status, headers: answered, body: streamed(response.body, codingsOf(answered['content-encoding'])) }
    } catch (error) {
      throw failure(error)
    } finally {
      clearTimeout(timer)
    }
  }

  async #send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const place = this.#placeOf(request.url)
    if (!place) throw invalidUrl()
    const headers = typed(this.#headers(place, request.headers, askedCoding), request.contentType)
    const dispatchers = this.#opened ?? (await this.#open())
    return exchange(dispatchers, { origin: place.origin, path: place.path, headers }, request)
  }

  /** Adds the default headers, and the URL's credentials unless a header has an `Authorization`. */
  #headers({ authorization }: Place, given: OutgoingHeaders = {}, coding: string): Record<string, string> {
    const headers = withDefaults(given, this.#dialect, coding)
    if (authorization === null || Object.keys(headers).some((name) => /^authorization$/i.test(name))) return headers
    return { ...headers, authorization }
  }

  async #open(): Promise<Transport> {
    this.#transport ??= createTransport(this.#dialect.redirects, {
      ...{ egress: this.#egress, openings: this.#openings },
      isUnverified: (hostname, port) => this.#isUnverified(hostname, port),
    })
    const [pending, opened] = [this.#transport, await this.#transport]
    if (pending === this.#transport) this.#opened = opened
    return opened
  }

  #placeOf(url: string): Place | null {
    const known = this.#places.get(url)
    if (known !== undefined) return known
    const place = placeOf(url)
    if (this.#places.size >= mostPlaces) this.#places.clear()
    this.#places.set(url, place)
    return place
  }

  /** Closes connections and aborts requests in flight. */
  async close(): Promise<void> {
    const opened = [this.#transport, ...this.#former.keys()].map((each) => each?.catch(() => undefined))
    await Promise.all(opened.map(async (each) => (await each)?.close()))
    this.#openings.close()
  }
}

const invalidUrl = () => new OutgoingError('invalid-url', 'Only expecting a URL such as https://host/path')

async function* streamed(
  body: Dispatcher.ResponseData['body'],
  codings: readonly string[] | null,
): AsyncGenerator<Buffer> {
  try {
    yield* codings ? unpackedStream(body, codings) : (body as AsyncIterable<Buffer>)
  } catch (error) {
    throw failure(error)
  }
}

/** Loads undici on first use: loading it takes longer than the rest of a start, and many servers never need it. */
async function createTransport(redirects: number, options: ConnectorOptions): Promise<Transport> {
  const { Agent, buildConnector, interceptors } = await import('undici')
  const connect = connector(buildConnector, options)
  // The timeout of the whole exchange is the only one.
  const newAgent = () => new Agent({ headersTimeout: 0, bodyTimeout: 0, connect })
  const [kept, fresh] = [newAgent(), newAgent()]
  const following = (agent: Dispatcher) =>
    redirects === 0 ? agent : agent.compose(interceptors.redirect({ maxRedirections: redirects }))
  return {
    ...{ usual: following(kept), fresh: following(fresh) },
    async end() {
      await Promise.all([kept.close(), fresh.close()])
    },
    async close() {
      await Promise.all([kept.destroy(), fresh.destroy()])
    },
  }
}
