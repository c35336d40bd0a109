// Streams of server-sent events that tell clients when their tools have changed.

import type { ServerResponse } from 'node:http'
import type { RouteCall } from '../../sdk/http.ts'
import { type Session, serviceKey, TrellisError } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { atTime } from '../../sdk/services.ts'
import type { Offers } from './offers.ts'
import type { McpEngine } from './options.ts'
import { keepAliveMillis, modelCheckMillis, mostStreams, mostStreamsOfSession, mostUnreadBytes } from './tuning.ts'

interface Stream {
  readonly raw: ServerResponse
  readonly session: Session
  /** Identifies the caller, for the limit. */
  readonly caller: string
  /** Of the tools that the client knows. */
  digest: string
}

const changed = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'

const keepAliveComment = ':\n\n'

/** The streams, for tests and measures. */
export const toolStreams = serviceKey<Pick<ToolStreams, 'count'>>('tool-streams')

export class ToolStreams {
  readonly #engine: McpEngine
  readonly #offers: Offers
  readonly #open = new Set<Stream>()
  #timers: readonly NodeJS.Timeout[] = []
  #model: Model | null = null
  #isChecking = false
  #isStopping = false

  constructor(engine: McpEngine, offers: Offers) {
    this.#engine = engine
    this.#offers = offers
  }

  /** The number of open streams. */
  get count(): number {
    return this.#open.size
  }

  /** Opens the stream of a client. */
  async open({ session, request, reply }: RouteCall): Promise<void> {
    const caller = JSON.stringify(session.variables)
    const ofSession = [...this.#open].filter((each) => each.caller === caller).length
    if (this.#open.size >= mostStreams || ofSession >= mostStreamsOfSession) throw tooMany()
    const { raw } = reply
    const stream: Stream = { raw, session, caller, digest: '' }
    this.#add(stream)
    const closed = () => this.#remove(stream)
    raw.on('error', () => {})
    if (raw.closed) setImmediate(closed)
    else raw.once('close', closed)
    try {
      stream.digest = await this.#offers.digest(session)
    } catch (error) {
      this.#remove(stream)
      throw error
    }
    reply.hijack()
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': request.id,
    })
    raw.write(keepAliveComment)
    if (!raw.closed)
      raw.once(
        'close',
        atTime(session.expiresAt, () => raw.end()),
      )
    // This request was admitted before the server began to stop.
    if (this.#isStopping) raw.end()
  }

  /** Ends all streams. */
  stop(): void {
    this.#isStopping = true
    for (const { raw } of this.#open) raw.end()
  }

  #add(stream: Stream): void {
    this.#open.add(stream)
    if (this.#open.size > 1) return
    this.#model = this.#engine.model
    this.#timers = [
      setInterval(() => void this.#check(), modelCheckMillis).unref(),
      setInterval(() => this.#keepAlive(), keepAliveMillis).unref(),
    ]
  }

  #remove(stream: Stream): void {
    this.#open.delete(stream)
    if (this.#open.size > 0) return
    for (const timer of this.#timers) clearInterval(timer)
  }

  #keepAlive(): void {
    for (const stream of this.#open) send(stream, keepAliveComment)
  }

  /** Tells the clients whose tools differ under another model. A model that cannot be described is looked at again. */
  async #check(): Promise<void> {
    const { model } = this.#engine
    if (this.#model === model || this.#isChecking) return
    this.#isChecking = true
    try {
      for (const stream of [...this.#open]) {
        const digest = await this.#offers.digest(stream.session)
        if (digest !== stream.digest && stream.digest !== '') send(stream, changed)
        stream.digest = digest
      }
      this.#model = model
    } catch {
      // The next check tries again.
    } finally {
      this.#isChecking = false
    }
  }
}

function send({ raw }: Stream, text: string): void {
  if (!raw.headersSent || raw.writableEnded) return
  if (raw.writableLength > mostUnreadBytes) raw.destroy()
  else raw.write(text)
}

const tooMany = () => new TrellisError(503, 'busy', 'there are too many streams: close one, or try again later')
