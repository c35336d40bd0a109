// One answer of server-sent events, kept open until it is ended or the client goes.

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { framed } from './frames.ts'
import { Outbox } from './outbox.ts'

export interface EventStreamOptions {
  readonly reply: FastifyReply
  readonly requestId: string
  /** Milliseconds between two signs of life. */
  readonly keepAlive: number
  /** After the stream was closed, by whomever. */
  onClose(): void
}

/** Milliseconds within which clients of a server that stops come back. */
const leastReturn = 500
const spread = 3000

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
      send: (message, done) => raw.write(message, done),
    })
    this.#outbox.send(':\n\n')
    this.#timer = setInterval(() => {
      if (!this.#outbox.isFull) this.#outbox.send(':\n\n')
    }, keepAlive)
    this.#timer.unref()
    raw.on('error', () => {})
    const closed = () => {
      this.#isOpen = false
      clearInterval(this.#timer)
      this.#outbox.release()
      onClose()
    }
    // Who went away before this is not told of again.
    if (raw.closed) setImmediate(closed)
    else raw.once('close', closed)
  }

  get bytes(): number {
    return this.#outbox.bytes
  }

  /** Whether the client takes what it is sent. */
  get isFull(): boolean {
    return this.#outbox.isFull
  }

  /** Resolves when more can be sent, or nothing ever. */
  room(): Promise<void> {
    return this.#outbox.room()
  }

  event(name: 'next' | 'complete', data: Buffer | string): void {
    if (this.#isOpen) this.#outbox.send(eventBytes(name, data))
  }

  /** An event that the next one of the same operation replaces while it waits. */
  state(id: string, data: Buffer): void {
    if (this.#isOpen) this.#outbox.sendState(id, eventBytes('next', data))
  }

  forget(id: string): void {
    this.#outbox.forget(id)
  }

  end(): void {
    this.#raw.end()
  }

  /** Ends it because the server stops: clients come back, each at another moment. */
  endForReturn(): void {
    if (this.#isOpen) this.#outbox.send(`retry: ${Math.floor(leastReturn + Math.random() * spread)}\n\n`)
    this.end()
  }
}

function eventBytes(name: string, data: Buffer | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  // Line ends are white space in JSON, and end the data of an event.
  const isPlain = !bytes.includes(10) && !bytes.includes(13)
  const line = isPlain ? bytes : Buffer.from(bytes.toString().replace(lineEnds, ' '))
  return framed(line, `event: ${name}\ndata: `, '\n\n')
}
