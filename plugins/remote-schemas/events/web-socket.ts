// Subscriptions over WebSockets with the protocol `graphql-transport-ws`. Each subscription has its own socket, since headers
// differ by subscriber and are sent once, with the upgrade.

import { type Client, createClient, type SubscribePayload } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { longestTimer, type Outgoing, OutgoingError, parseJson } from '../../../sdk/services.ts'
import type { RemoteEvent } from '../servers/transport.ts'
import { keepAliveInterval, maxEventSize } from '../tuning.ts'
import { EventQueue } from './event-queue.ts'
import type { Begun, SubscriptionRequest, Transport } from './transport.ts'

export const byWebSocket: Transport = async (request, outgoing): Promise<Begun> => {
  const opening = new Opening(request)
  const { status } = await opened(opening, request, outgoing)
  if (status !== 101) {
    opening.end()
    return { refusal: null }
  }
  if (await opening.isAcknowledged) return { events: opening.events }
  if (opening.isLate) throw new OutgoingError('timeout', `nothing acknowledged within ${request.timeout / 1000} s`)
  return { refusal: null }
}

async function opened(opening: Opening, { url, headers, timeout, signal }: SubscriptionRequest, outgoing: Outgoing) {
  try {
    const use = (socket: unknown) => opening.begin(socket)
    return await outgoing.socket({ url, headers, timeout, maxResponseSize: maxEventSize, signal, use })
  } catch (error) {
    opening.end()
    throw error
  }
}

/** One subscription on its socket. */
class Opening {
  readonly events: EventQueue<RemoteEvent>
  /** Whether the server acknowledged the connection. */
  readonly isAcknowledged: Promise<boolean>
  readonly #request: SubscriptionRequest
  #settle: (isAcknowledged: boolean) => void = () => {}
  #client: Client | null = null
  #socket: WebSocket | null = null
  #pongTimeout: NodeJS.Timeout | undefined
  #acknowledgeTimeout: NodeJS.Timeout | undefined
  #isLate = false

  constructor(request: SubscriptionRequest) {
    this.#request = request
    this.events = new EventQueue<RemoteEvent>({
      pause: () => this.#socket?.pause(),
      resume: () => this.#socket?.resume(),
      stop: () => this.end(),
    })
    this.isAcknowledged = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Whether the server did not acknowledge it within the timeout. */
  get isLate(): boolean {
    return this.#isLate
  }

  begin(webSocketImpl: unknown): void {
    const { url, headers, body, timeout } = this.#request
    this.#client = createClient({
      ...{ url, webSocketImpl, retryAttempts: 0, keepAlive: keepAliveInterval },
      connectionParams: { headers: asCharacters(headers) },
      jsonMessageReviver: lossless,
      on: {
        opened: (socket) => {
          this.#socket = socket as WebSocket
          this.#acknowledgeTimeout = setTimeout(() => this.#giveUp(), Math.min(timeout, longestTimer))
        },
        connected: () => {
          clearTimeout(this.#acknowledgeTimeout)
          this.#settle(true)
        },
        ping: (isReceived) => {
          if (!isReceived) this.#listenForPong()
        },
        pong: () => clearTimeout(this.#pongTimeout),
        closed: () => this.#over(lost()),
      },
    })
    this.#client.subscribe(parseJson(body, 'lossless') as SubscribePayload, {
      next: (event) => this.events.push(event as RemoteEvent, sizeOf(event)),
      error: (error) => {
        // Errors of the request are sent to the client as the last event.
        if (Array.isArray(error)) {
          this.events.push({ errors: error }, sizeOf(error))
          this.#over(null)
        } else this.#over(lost(error))
      },
      complete: () => this.#over(null),
    })
  }

  /** Ends the subscription and its events. */
  end(): void {
    this.#over(null)
    this.#socket?.terminate()
  }

  #giveUp(): void {
    this.#isLate = true
    this.end()
  }

  #over(error: unknown): void {
    clearTimeout(this.#pongTimeout)
    clearTimeout(this.#acknowledgeTimeout)
    this.#settle(false)
    this.events.end(error)
    // Otherwise the library would reconnect, and the events in between would be lost unnoticed.
    void Promise.resolve(this.#client?.dispose()).catch(() => {})
  }

  #listenForPong(): void {
    if (this.events.isPaused) return
    clearTimeout(this.#pongTimeout)
    this.#pongTimeout = setTimeout(() => {
      if (!this.events.isPaused) this.#socket?.terminate()
    }, keepAliveInterval)
  }
}

const lost = (cause?: unknown) => new OutgoingError('connection', 'the socket was closed', cause)

/** Keeps the digits of numbers that a double cannot hold. */
const lossless = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value
}

const sizeOf = (event: unknown): number => JSON.stringify(event).length

/** The UTF-8 of header values, decoded for use in JSON. */
const asCharacters = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'latin1').toString()]))
