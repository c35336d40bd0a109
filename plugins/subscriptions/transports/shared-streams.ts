// Streams of server-sent events for all operations of a client, which reserves one, opens it, and then starts operations.

import { randomUUID } from 'node:crypto'
import type { SchemaKind } from '../../../sdk/graphql.ts'
import { disconnectSignal, type RouteCall } from '../../../sdk/http.ts'
import { badRequest, notFound, type Session, TrellisError } from '../../../sdk/index.ts'
import { unlessAborted } from '../../../sdk/services.ts'
import { streamTokenOf } from '../../graphql/index.ts'
import { highWaterBytes, openTimeoutMillis } from '../tuning.ts'
import type { ConnectionLimit } from './connection-limit.ts'
import type { EventStream } from './event-stream.ts'
import { envelopeOf, framed } from './frames.ts'
import { type OperationContext, type ResultSink, type RunningOperation, runOperation } from './operations.ts'

export type Connected = Pick<RouteCall, 'request' | 'reply'>

export interface SharedStreamsOptions {
  readonly limit: ConnectionLimit
  readonly workers: { readonly count: number }
  readonly operationsPerStream: number
  /** Opens the answer to a request as a stream. */
  open(connected: Connected, session: Session, onClose: () => void): EventStream
  /** The context of operations; `connection` identifies the client. */
  context(call: RouteCall, schema: SchemaKind, connection: object): OperationContext
}

/** Results from before the stream was opened. */
class Early {
  #sends: ((stream: EventStream) => void)[] = []
  #waiting: (() => void)[] = []
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes > highWaterBytes
  }

  add(bytes: number, send: (stream: EventStream) => void): void {
    this.#bytes += bytes
    this.#sends.push(send)
  }

  /** Resolves when the stream is opened, or given up. */
  end(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Sends all results to the stream; null drops them. */
  release(stream: EventStream | null): void {
    const [sends, waiting] = [this.#sends, this.#waiting]
    ;[this.#sends, this.#waiting, this.#bytes] = [[], [], 0]
    if (stream) for (const send of sends) send(stream)
    for (const resolve of waiting) resolve()
  }
}

/** A reserved stream with its operations. */
interface SharedStream {
  readonly operations: Map<string, RunningOperation>
  stream: EventStream | null
  readonly early: Early
  /** Ends when the last operation has begun. */
  begun: Promise<unknown>
  readonly session: Session
  readonly release: () => void
  readonly expiry: NodeJS.Timeout
}

const conflict = (message: string) => new TrellisError(409, 'already-exists', message)

const oneWorkerOnly =
  'a server with several workers reserves no stream: open one stream for each operation (singleConnection: false)'

export class SharedStreams {
  readonly #options: SharedStreamsOptions
  readonly #byToken = new Map<string, SharedStream>()

  constructor(options: SharedStreamsOptions) {
    this.#options = options
  }

  /** Reserves a stream; answers its token. */
  reserve({ request, reply, session, body }: RouteCall): string {
    // A PUT with a body is a GraphQL request, not a reservation.
    if (body instanceof Uint8Array && body.length > 0) throw notFound()
    // The operations of the stream would reach workers that do not have it.
    if (this.#options.workers.count > 1) throw badRequest('not-supported', oneWorkerOnly)
    const token = randomUUID()
    const release = this.#options.limit.acquire(request.socket.remoteAddress ?? '')
    const expiry = setTimeout(() => this.#forget(token), openTimeoutMillis)
    expiry.unref()
    const common = { operations: new Map(), stream: null, early: new Early(), begun: Promise.resolve() }
    this.#byToken.set(token, { ...common, release, expiry, session })
    reply.code(201).header('content-type', 'text/plain; charset=utf-8')
    return token
  }

  open(token: string, connected: Connected): void {
    const shared = this.#find(token)
    if (shared.stream) throw conflict('stream already open')
    clearTimeout(shared.expiry)
    shared.stream = this.#options.open(connected, shared.session, () => this.#forget(token))
    shared.early.release(shared.stream)
  }

  /**
   * Starts an operation. As on a WebSocket, operations begin one after another, and only while the client receives the
   * results of those before: else it could make the server hold any number of results.
   */
  async start(token: string, body: unknown, call: RouteCall, schema: SchemaKind): Promise<string> {
    const shared = this.#find(token)
    const signal = disconnectSignal(call.reply)()
    const started = shared.begun.then(async () => {
      await unlessAborted(signal, roomOf(shared))
      // The client may have left meanwhile.
      this.#find(token)
      return this.#begin(shared, body, call, schema)
    })
    shared.begun = started.then(({ begun }) => begun).catch(() => {})
    await started
    call.reply.code(202).header('content-type', 'text/plain; charset=utf-8')
    return ''
  }

  #begin(shared: SharedStream, body: unknown, call: RouteCall, schema: SchemaKind): RunningOperation {
    const id = operationIdOf(body)
    const { operationsPerStream } = this.#options
    if (shared.operations.has(id)) throw conflict(`operation with ID "${id}" already exists`)
    if (shared.operations.size >= operationsPerStream) {
      throw badRequest('start-failed', `this stream runs ${operationsPerStream} operations already`)
    }
    const operation = runOperation(body, this.#options.context(call, schema, shared), sharedSink(shared, id))
    shared.operations.set(id, operation)
    return operation
  }

  /** Ends an operation. */
  end({ request }: RouteCall): object {
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

  /** Gives up the streams that were not opened. */
  stop(): void {
    for (const [token, { stream }] of this.#byToken) if (!stream) this.#forget(token)
  }

  #find(token: string): SharedStream {
    const shared = this.#byToken.get(token)
    if (!shared) throw notFound('stream not found')
    return shared
  }

  #forget(token: string): void {
    const shared = this.#byToken.get(token)
    if (!shared) return
    this.#byToken.delete(token)
    clearTimeout(shared.expiry)
    shared.release()
    for (const operation of shared.operations.values()) operation.stop()
    shared.operations.clear()
    shared.early.release(null)
  }
}

/** Resolves when the client has received enough, or when the stream has ended. */
async function roomOf({ stream, early }: SharedStream): Promise<void> {
  if (stream) await stream.room()
  else if (early.isFull) await early.end()
}

/** The sink of one operation on a shared stream. */
function sharedSink(shared: SharedStream, id: string): ResultSink {
  const name = JSON.stringify(id)
  const envelope = envelopeOf(`{"id":${name},"payload":`, '}')
  const inStream = (body: Buffer | string) => framed(typeof body === 'string' ? Buffer.from(body) : body, envelope)
  const send = (event: Buffer | string, deliver: (stream: EventStream) => void) => {
    if (shared.stream) deliver(shared.stream)
    else shared.early.add(event.length, deliver)
  }
  const next = (body: Buffer | string) => {
    const event = inStream(body)
    send(event, (stream) => stream.event('next', event))
  }
  return {
    get isFull() {
      return shared.stream?.isFull ?? true
    },
    room: () => shared.stream?.room() ?? shared.early.end(),
    result: next,
    state(body) {
      const event = inStream(body)
      send(event, (stream) => stream.state(id, event))
    },
    refused: (error) => next(`{"errors":[${error}]}`),
    done() {
      shared.operations.delete(id)
      send('', (stream) => {
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
