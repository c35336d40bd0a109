// Server-sent events, in the protocol of the library graphql-sse: a stream for each operation, or one stream for all that a
// client runs.

import { randomUUID } from 'node:crypto'
import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../../sdk/graphql.ts'
import { applicantOf, ClientCaller, type Route, type RouteCall, readJsonInTurns } from '../../../sdk/http.ts'
import { badRequest, type Engine, notFound, type Session, TrellisError, Type } from '../../../sdk/index.ts'
import { longestTimer } from '../../../sdk/services.ts'
import { streamTokenOf } from '../../graphql/index.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import type { SocketOptions } from '../options.ts'
import { EventStream } from './event-stream.ts'
import { envelopeOf, framed } from './frames.ts'
import { type OperationContext, type ResultSink, type RunningOperation, runOperation } from './operations.ts'
import type { Places } from './places.ts'

export interface EventsOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly limits: SocketOptions
  readonly places: Places
}

/** A stream that a client has asked for, with all that it runs. */
interface SharedStream {
  readonly operations: Map<string, RunningOperation>
  stream: EventStream | null
  /** Results from before it was opened. */
  readonly early: (() => void)[]
  readonly session: Session
  readonly release: () => void
  readonly expiry: NodeJS.Timeout
}

/** Milliseconds within which a stream that was asked for has to be opened. */
const openPatience = 10_000

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

  /** Answers a POST that asks for events, or one that belongs to a stream of a client. */
  async serve(call: RouteCall, schema: SchemaKind): Promise<unknown> {
    const token = streamTokenOf(call.request)
    const body = await readJsonInTurns(call.body as Buffer, 'lossless')
    if (token !== null) return this.#startShared(this.#find(token), body, call, schema)
    const request = readGraphQLRequest(body)
    return this.run(request, call, schema)
  }

  /** The routes beside GET and POST, on a path. */
  routes(url: string): readonly Route[] {
    const common = { url, api: 'graphql', raw: true } as const
    const operationId = 'the id of an operation'
    return [
      {
        ...{ ...common, method: 'PUT', auth: 'session' },
        about: { summary: 'Reserves a stream of server-sent events; answers its token.', contentType: 'text/plain' },
        handle: (call) => this.#reserve(call),
      },
      {
        ...{ ...common, method: 'DELETE', auth: 'session' },
        about: {
          summary: `Ends an operation of a stream: ${operationId} is \`operationId\`.`,
          result: Type.Object({}),
        },
        handle: (call) => this.#end(call),
      },
    ]
  }

  /** Ends all, so that clients come back. */
  stop(): void {
    this.#isStopping = true
    for (const stream of this.#streams) stream.endForReturn()
    for (const [token, { stream }] of this.#shared) if (!stream) this.#forget(token)
  }

  /** A stream for one operation. */
  run(given: GraphQLRequest, call: RouteCall, schema: SchemaKind): void {
    const release = this.#options.places.take(call.request.socket.remoteAddress ?? '')
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
    let expiry: NodeJS.Timeout | null = null
    const stream = new EventStream({
      ...{ reply, requestId: request.id, keepAlive },
      onClose: () => {
        this.#streams.delete(stream)
        if (expiry) clearTimeout(expiry)
        onClose()
      },
    })
    this.#streams.add(stream)
    // It was asked for before, and let in since.
    if (this.#isStopping) setImmediate(() => stream.endForReturn())
    if (session?.expiresAt !== undefined) {
      const left = Math.max(0, session.expiresAt - Date.now())
      // A session that lasts for weeks outlives the connection.
      if (left <= longestTimer) expiry = setTimeout(() => stream.end(), left)
    }
    return stream
  }

  /** `connection`: what the client has for itself. */
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
    // A request to run something is none to reserve.
    if (body instanceof Uint8Array && body.length > 0) throw notFound()
    const token = randomUUID()
    const release = this.#options.places.take(request.socket.remoteAddress ?? '')
    const expiry = setTimeout(() => this.#forget(token), openPatience)
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

type Connected = Pick<RouteCall, 'request' | 'reply'>

/** Results of one operation among others. */
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

/** A request as the parameters of a URL have it. */
