// Requests to other servers: webhooks, key sets. One place for what holds for all of them: default headers, bodies with
// a length, a limit on time and size, and redirects, which only a dialect allows since they can lead into the network.

import type { Agent, Dispatcher } from 'undici'
import { Wrapping } from '../engine/wrapping.ts'
import type { Dialect } from '../names/dialect.ts'
import { type OutgoingHeaders, withDefaults } from './headers.ts'
import { isHttpUrl } from './url.ts'

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Beside the default ones. */
  readonly headers?: OutgoingHeaders
  readonly body?: string | Buffer
  /** Milliseconds until the answer must have been read whole. */
  readonly timeout: number
  /** Bytes that the body of the answer may have. */
  readonly maxResponseSize?: number
  /** Whether a longer body is cut there, for those who look at its beginning only; absent: it is an error. */
  readonly cutsResponse?: boolean
  /** Gives the request up. */
  readonly signal?: AbortSignal
  /**
   * The trace that it belongs to, when that is not the one of the request at hand: JSON text, as triggers find it in
   * the setting of their transaction.
   */
  readonly trace?: string
}

export interface OutgoingResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Whether there was more of the body than was read. */
  readonly isCut: boolean
}

/** Why there is no answer. The message holds nothing of the request but its host. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
  readonly reason: 'connection' | 'invalid-url' | 'timeout' | 'too-large'

  constructor(reason: OutgoingError['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

/** What sends requests; a plugin's is `engine.outgoing`. */
export interface Outgoing {
  /** The answer, whatever its status; rejects with an {@link OutgoingError} when there is none. */
  send(request: OutgoingRequest): Promise<OutgoingResponse>
}

const mebibyte = 2 ** 20
const defaultMaxResponseSize = 64 * mebibyte

interface Transport {
  /** Has the connections. */
  readonly agent: Agent
  /** Sends by the agent, following redirects where that is allowed. */
  readonly dispatcher: Dispatcher
}

export class OutgoingClient implements Outgoing {
  readonly #dialect: Dialect
  readonly #wrapping: Pick<Wrapping, 'outgoing'>
  #transport: Promise<Transport> | undefined

  constructor(dialect: Dialect, wrapping: Pick<Wrapping, 'outgoing'> = new Wrapping()) {
    this.#dialect = dialect
    this.#wrapping = wrapping
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
      this.#transport ??= createTransport(this.#dialect.redirects)
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
async function createTransport(redirects: number): Promise<Transport> {
  const { Agent, interceptors } = await import('undici')
  // The limit on the whole exchange is the only one.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
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
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}
