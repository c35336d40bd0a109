// One response of server-sent events, open until the server ends it or the client disconnects.

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { leastReconnectMillis, reconnectSpreadMillis } from '../tuning.ts'
import { envelopeOf, framed } from './frames.ts'
import { Outbox } from './outbox.ts'

export interface EventStreamOptions {
  readonly reply: FastifyReply
  readonly requestId: string
  /** Milliseconds between two keep-alive comments. */
  readonly keepAlive: number
  /** Called after the stream was closed by either side. */
  onClose(): void
}

/** A comment of the protocol. */
const keepAliveComment = Buffer.from(':\n\n')

const lineEnds = /[\r\n]/g

export class EventStream {
  readonly #raw: ServerResponse
  readonly #outbox: Outbox
  readonly #timer: NodeJS.Timeout
  #isOpen = true

  constructor({ reply, requestId, keepAlive, onClose }: EventStreamOptions) {
    reply.hijack()
    this.#raw = reply.raw
    const raw = this.#raw
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-request-id': requestId,
    })
    this.#outbox = new Outbox({
      get buffered() {
        return raw.writableLength
      },
      send(message) {
        raw.write(message)
      },
    })
    raw.on('drain', () => this.#outbox.flush())
    this.#outbox.send(keepAliveComment)
    this.#timer = setInterval(() => {
      if (!this.#outbox.isFull) this.#outbox.send(keepAliveComment)
    }, keepAlive)
    this.#timer.unref()
    raw.on('error', () => {})
    const closed = () => {
      this.#isOpen = false
      clearInterval(this.#timer)
      this.#outbox.release()
      onClose()
    }
    // The `close` event of a disconnected client has passed already.
    if (raw.closed) setImmediate(closed)
    else raw.once('close', closed)
  }

  get bytes(): number {
    return this.#outbox.bytes
  }

  /** Whether the client is slow to receive. */
  get isFull(): boolean {
    return this.#outbox.isFull
  }

  /** Resolves when more can be sent, or when the connection has ended. */
  room(): Promise<void> {
    return this.#outbox.room()
  }

  event(name: 'next' | 'complete', data: Buffer | string): void {
    if (this.#isOpen) this.#outbox.send(eventBytes(name, data))
  }

  /** Sends an event that the next one of the same operation replaces while it waits. */
  state(id: string, data: Buffer): void {
    if (this.#isOpen) this.#outbox.sendState(id, eventBytes('next', data))
  }

  forget(id: string): void {
    this.#outbox.forget(id)
  }

  end(): void {
    this.#raw.end()
  }

  /** Ends the stream because the server stops; a random delay spreads the clients that reconnect. */
  endForReconnect(): void {
    if (this.#isOpen)
      this.#outbox.send(
        Buffer.from(`retry: ${Math.floor(leastReconnectMillis + Math.random() * reconnectSpreadMillis)}\n\n`),
      )
    this.end()
  }
}

function eventBytes(name: string, data: Buffer | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  // Line ends are white space in JSON, but they would end the data of an event.
  const isPlain = !bytes.includes(10) && !bytes.includes(13)
  const line = isPlain ? bytes : Buffer.from(bytes.toString().replace(lineEnds, ' '))
  return framed(line, envelopeOf(`event: ${name}\ndata: `, '\n\n'))
}
