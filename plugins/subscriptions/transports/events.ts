// Server-sent events with the protocol of the library graphql-sse: a stream for each operation, or one for all of a client.

import { type GraphQLRequest, readGraphQLRequest, type SchemaKind } from '../../../sdk/graphql.ts'
import { applicantOf, ClientCaller, type Route, type RouteCall, readJsonInTurns } from '../../../sdk/http.ts'
import { type Engine, type Session, Type } from '../../../sdk/index.ts'
import { atTime } from '../../../sdk/services.ts'
import { streamTokenOf } from '../../graphql/index.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import type { SocketOptions } from '../options.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import { EventStream } from './event-stream.ts'
import { type OperationContext, type RunningOperation, runOperation } from './operations.ts'
import { type Connected, SharedStreams } from './shared-streams.ts'

export interface EventsOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly limits: SocketOptions
  readonly limit: ConnectionLimit
}

export class Events {
  readonly #options: EventsOptions
  readonly #streams = new Set<EventStream>()
  readonly #shared: SharedStreams
  #isStopping = false

  constructor(options: EventsOptions) {
    this.#options = options
    const { engine, limit, limits } = options
    this.#shared = new SharedStreams({
      ...{ limit, workers: engine.workers, operationsPerStream: limits.operationsPerSocket },
      open: (connected, session, onClose) => this.#openStream(connected, session, onClose),
      context: (call, schema, connection) => this.#context(call, schema, connection),
    })
  }

  get count(): number {
    return this.#streams.size
  }

  /** Serves a POST that accepts events, or that belongs to a reserved stream. */
  async serve(call: RouteCall, schema: SchemaKind): Promise<unknown> {
    const token = streamTokenOf(call.request)
    const body = await readJsonInTurns(call.body as Buffer, 'lossless')
    if (token !== null) return this.#shared.start(token, body, call, schema)
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
        handle: (call) => this.#shared.reserve(call),
      },
      {
        ...{ ...common, method: 'DELETE', auth: 'session' },
        about: { summary: 'Ends an operation of a stream; `operationId` is its id.', result: Type.Object({}) },
        handle: (call) => this.#shared.end(call),
      },
    ]
  }

  /** Ends all streams; clients reconnect. */
  stop(): void {
    this.#isStopping = true
    for (const stream of this.#streams) stream.endForReconnect()
    this.#shared.stop()
  }

  /** Opens a reserved stream. */
  open(token: string, connected: Connected): void {
    this.#shared.open(token, connected)
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
}
