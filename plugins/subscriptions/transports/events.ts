// Server-sent events with the protocol of the library graphql-sse: one stream per operation, or one stream for all operations of
// a client.

import { randomUUID } from 'node:crypto'
import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../../sdk/graphql.ts'
import { applicantOf, ClientCaller, type Route, type RouteCall, readJsonInTurns } from '../../../sdk/http.ts'
import { badRequest, type Engine, notFound, type Session, TrellisError, Type } from '../../../sdk/index.ts'
import { atTime } from '../../../sdk/services.ts'
import { streamTokenOf } from '../../graphql/index.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import type { SocketOptions } from '../options.ts'
import { openTimeoutMillis } from '../tuning.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { EventStream } from './event-stream.ts'
import { envelopeOf, framed } from './frames.ts'
import { type OperationContext, type ResultSink, type RunningOperation, runOperation } from './operations.ts'

export interface EventsOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly limits: SocketOptions
  readonly limit: ConnectionLimit
}

/** A reserved stream with its operations. */
interface SharedStream {
  readonly operations: Map<string, RunningOperation>
  stream: EventStream | null
  /** Results from before the stream was opened. */
  readonly early: (() => void)[]
  readonly session: Session
  readonly release: () => void
  readonly expiry: NodeJS.Timeout
}

const conflict = (message: string) => new TrellisError(409, 'already-exists', message)

export class Events {
  readonly #options: EventsOptions
  readonly #streams = new Set<EventStream>()
  readonly #shared = new Map<string, SharedStream>()
  #isStopping = false

  constructor(options: EventsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#streams.size
  }

  /** Serves a POST that accepts events, or that belongs to a reserved stream. */
  async serve(call: RouteCall, schema: SchemaKind): Promise<unknown> {
    const token = streamTokenOf(call.request)
    const body = await readJsonInTurns(call.body as Buffer, 'lossless')
    if (token !== null) return this.#startShared(this.#find(token), body, call, schema)
    const request = readGraphQLRequest(body)
    return this.run(request, call, schema)
  }

  /** The routes on a path besides GET and POST. */
  routes(url: string): readonly Route[] {
    const common = { url, api: 'graphql', raw: true, forReaders: true } as const
    return [
      {
        ...{ ...common, method: 'PUT', auth: 'session' },
        about: { summary: 'Reserves a stream of server-sent events; answers its token.', contentType: 'text/plain' },
        handle: (call) => this.#reserve(call),
      },
      {
        ...{ ...common, method: 'DELETE', auth: 'session' },
        about: { summary: 'Ends an operation of a stream; `operationId` is its id.', result: Type.Object({}) },
        handle: (call) => this.#end(call),
      },
    ]
  }

  /** Ends all streams; clients reconnect. */
  stop(): void {
    this.#isStopping = true
    for (const stream of this.#streams) stream.endForReconnect()
    for (const [token, { stream }] of this.#shared) if (!stream) this.#forget(token)
  }

  /** Opens a stream for one operation. */
  run(given: GraphQLRequest, call: RouteCall, schema: SchemaKind): void {
    const release = this.#options.limit.acquire(call.request.socket.remoteAddress ?? '')
    let operation: RunningOperation | null = null
    const stream = this.#openStream(call, call.session, () => {
      release()
      operation?.stop()
    })
    operation = runOperation(given, this.#context(call, schema, call.request.socket), {
      get isFull() {
        return stream.isFull
      },
      room: () => stream.room(),
      result: (body) => stream.event('next', body),
      state: (body) => stream.state('', body),
      refused: (error) => stream.event('next', `{"errors":[${error}]}`),
      done: () => {
        stream.event('complete', '')
        stream.end()
      },
    })
  }

  #openStream({ reply, request }: Connected, session: Session | null, onClose: () => void): EventStream {
    const { keepAlive } = this.#options.limits
    const cancelExpiry = atTime(session?.expiresAt, () => stream.end())
    const stream = new EventStream({
      ...{ reply, requestId: request.id, keepAlive },
      onClose: () => {
        this.#streams.delete(stream)
        cancelExpiry()
        onClose()
      },
    })
    this.#streams.add(stream)
    // This request was admitted before the server began to stop.
    if (this.#isStopping) setImmediate(() => stream.endForReconnect())
    return stream
  }

  /** `connection`: an object that identifies the client. */
  #context(call: RouteCall, schema: SchemaKind, connection: object): OperationContext {
    const { engine, live } = this.#options
    const headers = call.request.headers as Readonly<Record<string, string>>
    const { id: requestId } = call.request
    const { session, request } = call
    const caller = new ClientCaller(connection, session, request, engine.settings.trustedProxies)
    const applicant = applicantOf(call)
    return { engine, live, schema, isFlat: false, applicant, caller, headers, requestId, isAdmitted: true }
  }

  #reserve({ request, reply, session, body }: RouteCall): string {
    // A PUT with a body is a GraphQL request, not a reservation.
    if (body instanceof Uint8Array && body.length > 0) throw notFound()
    // The operations of the stream would reach workers that do not have it.
    if (this.#options.engine.workers.count > 1) throw badRequest('not-supported', oneWorkerOnly)
    const token = randomUUID()
    const release = this.#options.limit.acquire(request.socket.remoteAddress ?? '')
    const expiry = setTimeout(() => this.#forget(token), openTimeoutMillis)
    expiry.unref()
    this.#shared.set(token, { operations: new Map(), stream: null, early: [], release, expiry, session })
    reply.code(201).header('content-type', 'text/plain; charset=utf-8')
    return token
  }

  #find(token: string): SharedStream {
    const shared = this.#shared.get(token)
    if (!shared) throw notFound('stream not found')
    return shared
  }

  #forget(token: string): void {
    const shared = this.#shared.get(token)
    if (!shared) return
    this.#shared.delete(token)
    clearTimeout(shared.expiry)
    shared.release()
    for (const operation of shared.operations.values()) operation.stop()
    shared.operations.clear()
  }

  open(token: string, connected: Connected): void {
    const shared = this.#find(token)
    if (shared.stream) throw conflict('stream already open')
    clearTimeout(shared.expiry)
    shared.stream = this.#openStream(connected, shared.session, () => this.#forget(token))
    for (const send of shared.early.splice(0)) send()
  }

  #startShared(shared: SharedStream, body: unknown, call: RouteCall, schema: SchemaKind): string {
    const id = operationIdOf(body)
    const { operationsPerSocket } = this.#options.limits
    if (shared.operations.has(id)) throw conflict(`operation with ID "${id}" already exists`)
    if (shared.operations.size >= operationsPerSocket) {
      throw badRequest('start-failed', `this stream runs ${operationsPerSocket} operations already`)
    }
    const operation = runOperation(body, this.#context(call, schema, shared), sharedSink(shared, id))
    shared.operations.set(id, operation)
    call.reply.code(202).header('content-type', 'text/plain; charset=utf-8')
    return ''
  }

  #end({ request }: RouteCall): object {
    const token = streamTokenOf(request)
    if (token === null) throw notFound()
    const { operationId } = request.query as Record<string, unknown>
    if (typeof operationId !== 'string') throw badRequest('invalid-params', 'operationId is missing')
    const { operations, stream } = this.#find(token)
    operations.get(operationId)?.stop()
    operations.delete(operationId)
    stream?.forget(operationId)
    return {}
  }
}

const oneWorkerOnly =
  'a server with several workers reserves no stream: open one stream for each operation (singleConnection: false)'

type Connected = Pick<RouteCall, 'request' | 'reply'>

/** The sink of one operation on a shared stream. */
function sharedSink(shared: SharedStream, id: string): ResultSink {
  const name = JSON.stringify(id)
  const envelope = envelopeOf(`{"id":${name},"payload":`, '}')
  const inStream = (body: Buffer | string) => framed(typeof body === 'string' ? Buffer.from(body) : body, envelope)
  const { early } = shared
  const send = (deliver: (stream: EventStream) => void) => {
    const { stream } = shared
    if (stream) deliver(stream)
    else early.push(() => shared.stream && deliver(shared.stream))
  }
  return {
    get isFull() {
      return shared.stream?.isFull ?? true
    },
    room: () => shared.stream?.room() ?? new Promise((resolve) => early.push(resolve)),
    result(body) {
      const event = inStream(body)
      send((stream) => stream.event('next', event))
    },
    state(body) {
      const event = inStream(body)
      send((stream) => stream.state(id, event))
    },
    refused: (error) => send((stream) => stream.event('next', inStream(`{"errors":[${error}]}`))),
    done() {
      shared.operations.delete(id)
      send((stream) => {
        stream.forget(id)
        stream.event('complete', `{"id":${name}}`)
      })
    },
  }
}

function operationIdOf(body: unknown): string {
  const { extensions } = (body ?? {}) as { readonly extensions?: { readonly operationId?: unknown } }
  const id = extensions?.operationId
  if (typeof id !== 'string' || id === '') throw badRequest('invalid-params', 'extensions.operationId is missing')
  return id
}
