// Requests to other servers: webhooks, key sets. One place for what holds for all of them: default headers, bodies with
// a length, a limit on time and size, and redirects, which only a dialect allows since they can lead into the network.

import type { Agent, Dispatcher } from 'undici'
import { Wrapping } from '../engine/wrapping.ts'
import { codeOf } from '../errors/thrown.ts'
import type { Dialect } from '../names/dialect.ts'
import { connectorBy, type Egress } from './egress.ts'
import { withDefaults } from './headers.ts'
import { OutgoingError } from './outgoing-error.ts'
import type { Outgoing, OutgoingRequest, OutgoingResponse } from './request.ts'
import { isHttpUrl } from './url.ts'

export { OutgoingError } from './outgoing-error.ts'
export type * from './request.ts'

const mebibyte = 2 ** 20
const defaultMaxResponseSize = 64 * mebibyte

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

  async #send(request: OutgoingRequest): Promise<OutgoingResponse> {
    const { method, url, body, timeout } = request
    if (!isHttpUrl(url)) throw new OutgoingError('invalid-url', 'Only expecting a URL such as https://host/path')
    const { origin, pathname, search } = new URL(url)
    const limit = AbortSignal.timeout(timeout)
    const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit
    const headers = withDefaults(request.headers ?? {}, this.#dialect)
    try {
      this.#transport ??= createTransport(this.#dialect.redirects, this.#egress)
      const { dispatcher } = await this.#transport
      const response = await dispatcher.request({ origin, path: pathname + search, method, headers, body, signal })
      const answer = await readBody(response.body, request)
      return { status: response.statusCode, headers: response.headers, ...answer }
    } catch (error) {
      if (error instanceof OutgoingError) throw error
      if (limit.aborted) throw new OutgoingError('timeout', `no answer within ${timeout / 1000} s`, error)
      throw new OutgoingError('connection', reasonOf(error), error)
    }
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

async function readBody(
  body: Dispatcher.ResponseData['body'],
  { maxResponseSize = defaultMaxResponseSize, cutsResponse = false }: OutgoingRequest,
): Promise<Pick<OutgoingResponse, 'body' | 'isCut'>> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    chunks.push(chunk)
    if (size <= maxResponseSize) continue
    if (!cutsResponse) throw new OutgoingError('too-large', `the answer is longer than ${maxResponseSize} bytes`)
    return { body: Buffer.concat(chunks).subarray(0, maxResponseSize), isCut: true }
  }
  return { body: Buffer.concat(chunks, size), isCut: false }
}

/** Several addresses of a host fail under one error without a message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.message || (codeOf(error) ?? error.name)
}
