// One WebSocket with either protocol: its session, its running operations, and its outbox.

import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { GraphQLRequest, SchemaKind } from '../../../sdk/graphql.ts'
import { ClientCaller, inDialect, toAnswerable } from '../../../sdk/http.ts'
import { type Engine, flatError, graphqlError, type Session, TrellisError } from '../../../sdk/index.ts'
import { atTime } from '../../../sdk/services.ts'
import type { LiveQueries } from '../live/live-queries.ts'
import { levelOf, messageOfEvent, type OperationOutcome, type SocketEvent } from '../log.ts'
import type { SocketOptions } from '../options.ts'
import { closeTimeoutMillis } from '../tuning.ts'
import { type ClientHeaders, joinHeaders, payloadHeaders } from './client-headers.ts'
import { type Envelope, framedText, textFrame } from './frames.ts'
import {
  type OperationContext,
  type Refusal,
  type ResultSink,
  type RunningOperation,
  runOperation,
} from './operations.ts'
import { Outbox } from './outbox.ts'
import { socketOutlet } from './socket-outlet.ts'

/** The messages that protocols write differently. */
export interface Wire {
  /** The text around the body of a result. */
  result(id: string): Envelope
  /** A refusal; `error` is JSON. */
  refused(id: string, error: string, isFlat: boolean): string
  complete(id: string): string
  /** Whether a refusal ends its operation; otherwise `complete` follows. */
  readonly endsByRefusal: boolean
}

/** `message`: an event in a few words; `status`: that of its error, by default one that the client can correct. */
interface EventExtras {
  readonly message?: string
  readonly status?: number | undefined
}

export interface ConnectionOptions {
  readonly engine: Engine
  readonly live: LiveQueries
  readonly socket: WebSocket
  /** The socket below the WebSocket. */
  readonly stream: Duplex
  readonly wire: Wire
  readonly schema: SchemaKind
  /** Whether errors have the flat form of `/v1alpha1/graphql`. */
  readonly isFlat: boolean
  readonly upgrade: ClientHeaders
  readonly address: string
  readonly limits: SocketOptions
}

/** Bytes of the longest reason in a close frame. */
export const longestReason = 123

export class Connection {
  readonly id = randomUUID()
  readonly options: ConnectionOptions
  readonly outbox: Outbox
  readonly #operations = new Map<string, RunningOperation>()
  #session: Session | null = null
  /** The caller for all its operations. */
  #caller: ClientCaller | null = null
  /** The headers of the payload alone, which are forwarded. */
  #payload: ClientHeaders = { headers: {}, rawHeaders: [] }
  #cancelExpiry: (() => void) | null = null
  received = 0

  constructor(options: ConnectionOptions) {
    this.options = options
    this.outbox = new Outbox(socketOutlet(options.socket, options.stream, () => this.outbox.flush()))
  }

  get session(): Session | null {
    return this.#session
  }

  get operations(): number {
    return this.#operations.size
  }

  has(id: string): boolean {
    return this.#operations.has(id)
  }

  get isOpen(): boolean {
    return this.options.socket.readyState === 1
  }

  /**
   * Authenticates by the payload of a first message; rejects if that fails. The second time the payload alone counts.
   */
  async authenticate(payload: unknown): Promise<void> {
    const given = payloadHeaders(payload)
    const all = this.#session ? given : joinHeaders(given, this.options.upgrade)
    const session = await this.options.engine.auth.authenticate(all.headers, all.rawHeaders)
    this.#session = session
    const { upgrade, stream, engine } = this.options
    const origin = { headers: upgrade.headers, socket: { remoteAddress: this.options.address } }
    this.#caller = new ClientCaller(stream, session, origin, engine.settings.trustedProxies)
    this.#payload = given
    this.#cancelExpiry?.()
    if (this.isOpen) this.#cancelExpiry = atTime(session.expiresAt, () => this.close(3000, 'the session has expired'))
  }

  /** The message of a failed authentication; logs it. */
  refusalOf(thrown: unknown): string {
    const error = toAnswerable(thrown, this.options.engine.observe)
    this.log({ type: 'conn_err', detail: error.message }, { status: error.status })
    return error.message
  }

  /** Runs an operation; resolves when a query or mutation is answered, or a subscription has begun. */
  async start(id: string, payload: unknown): Promise<void> {
    const most = this.options.limits.operationsPerSocket
    const context = this.#context()
    try {
      if (this.#operations.size >= most) throw startFailed(`this connection runs ${most} operations already`)
      const operation = runOperation(payload, context, new SocketResults(this, id))
      this.#operations.set(id, operation)
      this.#logOperation(id, { type: 'started' }, operation)
      await operation.begun
      await this.outbox.room()
    } catch (error) {
      this.#refuse(id, toAnswerable(error, this.options.engine.observe), context)
    }
  }

  /** An error in the form of the endpoint. */
  errorValue(error: TrellisError): ReturnType<typeof flatError> | ReturnType<typeof graphqlError> {
    const { engine, isFlat } = this.options
    const shown = inDialect(error, engine.settings)
    return isFlat ? flatError(shown, false) : graphqlError(shown, false)
  }

  /** Refuses an operation that did not run. */
  #refuse(id: string, error: TrellisError, { requestId }: OperationContext): void {
    const { wire, engine, isFlat } = this.options
    this.#send(wire.refused(id, JSON.stringify(this.errorValue(error)), isFlat))
    if (!wire.endsByRefusal) this.#send(wire.complete(id))
    this.#logOperation(
      id,
      { type: 'query_err', detail: flatError(inDialect(error, engine.settings), false) },
      { operationName: null, requestId },
      { status: error.status },
    )
  }

  /** Ends an operation without a message. */
  stop(id: string): void {
    const operation = this.#operations.get(id)
    if (!operation) return
    this.#operations.delete(id)
    this.outbox.forget(id)
    operation.stop()
    this.#logOperation(id, { type: 'stopped' }, operation)
  }

  /** Sends a protocol message. */
  send(message: object): void {
    this.#send(JSON.stringify(message))
  }

  #send(message: string): void {
    if (message.length > 0) this.sendFrame(textFrame(message))
  }

  /** Sends a complete frame; clients share its bytes. */
  sendFrame(frame: Buffer): void {
    if (this.isOpen) this.outbox.send(frame)
  }

  /** Sends a WebSocket ping. */
  ping(): void {
    this.options.socket.ping()
  }

  /** Sends a state of an operation; replaces one that waits. */
  sendState(id: string, frame: Buffer): void {
    if (this.isOpen) this.outbox.sendState(id, frame)
  }

  /** Sends a refusal or the error that ended an operation; `text` is the error as JSON. */
  refused(id: string, text: string, { error, request }: Refusal): void {
    const { wire, isFlat } = this.options
    this.outbox.forget(id)
    this.#send(wire.refused(id, text, isFlat))
    const outcome = { type: 'query_err', detail: flatError(error, false) } as const
    this.#logOperation(id, outcome, this.#operations.get(id), { query: request, status: error.status })
  }

  /** Completes an operation, unless its refusal did. */
  done(id: string, isRefused: boolean): void {
    const { wire } = this.options
    this.outbox.forget(id)
    const operation = this.#operations.get(id)
    if (!operation) return
    this.#operations.delete(id)
    if (!isRefused || !wire.endsByRefusal) this.#send(wire.complete(id))
    this.#logOperation(id, { type: 'completed' }, operation)
  }

  close(code: number, reason: string): void {
    const { socket } = this.options
    socket.close(code, shortened(reason))
    setTimeout(() => socket.terminate(), closeTimeoutMillis).unref()
  }

  /** Cleans up after the socket was closed by either side, with this code and reason. */
  ended(code: number, reason: string): void {
    this.#cancelExpiry?.()
    this.outbox.release()
    const operations = [...this.#operations.values()]
    this.#operations.clear()
    for (const operation of operations) operation.stop()
    this.log({ type: 'closed' }, { message: `websocket closed: ${code}${reason && ` ${reason}`}` })
  }

  #context(): OperationContext {
    const { engine, live, schema, isFlat, upgrade, address } = this.options
    const session = this.#session!
    const caller = this.#caller!
    const applicant = { session, headers: upgrade.headers, address, setHeader: () => {} }
    const given = this.#payload.headers as Readonly<Record<string, string>>
    // The id that the client chose holds for all its operations. Other servers get a new one, too.
    const requestId = given['x-request-id'] || randomUUID()
    const headers = { ...given, 'x-request-id': requestId }
    return { engine, live, schema, isFlat, applicant, caller, headers, requestId, isAdmitted: false }
  }

  log(event: SocketEvent, { message = messageOfEvent(event), status }: EventExtras = {}): void {
    const { observe, dialect } = this.options.engine
    const level = levelOf(event, dialect, status)
    if (!observe.isEnabled('websocket-log', level)) return
    const session = this.#session
    const info = { websocket_id: this.id, token_expiry: momentText(session?.expiresAt), msg: null }
    const detail = { event, connection_info: info, user_vars: session?.variables ?? null }
    observe.log({ type: 'websocket-log', level, detail, message })
  }

  #logOperation(
    id: string,
    outcome: OperationOutcome,
    operation: Pick<RunningOperation, 'operationName' | 'requestId'> | undefined,
    { query = null, status }: { readonly query?: GraphQLRequest | null; readonly status?: number | undefined } = {},
  ): void {
    const { operationName = null, requestId = null } = operation ?? {}
    const common = { operation_id: id, request_id: requestId, operation_name: operationName }
    const event = { type: 'operation', detail: { ...common, operation_type: outcome, query } } as const
    this.log(event, { status })
  }
}

/** A time for the log; null if it is absent or out of range: the signer of a token may choose any number. */
function momentText(time: number = Number.NaN): string | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The results of one operation. Each subscriber has one, so it keeps little memory. */
class SocketResults implements ResultSink {
  readonly #connection: Connection
  readonly #id: string
  readonly #envelope: Envelope
  #isRefused = false

  constructor(connection: Connection, id: string) {
    this.#connection = connection
    this.#id = id
    this.#envelope = connection.options.wire.result(id)
  }

  get isFull(): boolean {
    return this.#connection.outbox.isFull
  }

  room(): Promise<void> {
    return this.#connection.outbox.room()
  }

  result(body: Buffer | string): void {
    this.#connection.sendFrame(framedText(toBytes(body), this.#envelope))
  }

  state(body: Buffer): void {
    this.#connection.sendState(this.#id, framedText(body, this.#envelope))
  }

  refused(text: string, refusal: Refusal): void {
    this.#isRefused = true
    this.#connection.refused(this.#id, text, refusal)
  }

  done(): void {
    this.#connection.done(this.#id, this.#isRefused)
  }
}

const toBytes = (body: Buffer | string): Buffer => (typeof body === 'string' ? Buffer.from(body) : body)

export const startFailed = (message: string): TrellisError => new TrellisError(400, 'start-failed', message)

/** Shortens a reason to fit a close frame. */
function shortened(reason: string): string {
  if (Buffer.byteLength(reason) <= longestReason) return reason
  const text = Buffer.from(reason).toString('utf8', 0, longestReason - 3)
  return text.replace(/\uFFFD+$/, '')
}
