// Clients with their own WebSockets, for the rows about neighbours.

import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Trellis } from '../support/trellis.ts'

/** One message of the protocol `graphql-transport-ws`. */
interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: { readonly data?: unknown; readonly errors?: unknown }
}

/** A socket with operations; the caller chooses their ids. */
export class BenchSocket {
  readonly #socket: WebSocket
  readonly #listeners = new Map<string, (message: Message) => void>()
  #started = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message
      if (message.id !== undefined) this.#listeners.get(message.id)?.(message)
    })
  }

  /** Opens a socket; the headers identify its user. */
  static async open({ port }: Trellis, headers: Readonly<Record<string, string>>): Promise<BenchSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/graphql`, 'graphql-transport-ws', { headers })
    await once(socket, 'open')
    const acknowledged = once(socket, 'message')
    socket.send(JSON.stringify({ type: 'connection_init' }))
    await acknowledged
    return new BenchSocket(socket)
  }

  /** Runs a query; returns whether the answer had no error. */
  query(query: string): Promise<boolean> {
    return new Promise((resolve) => {
      let isAnswered = false
      this.#send(query, ({ type, payload }) => {
        if (type === 'next') isAnswered = payload?.errors === undefined
        else resolve(type === 'complete' && isAnswered)
      })
    })
  }

  /** Subscribes; the listener receives each answer, null for an error. */
  subscribe(query: string, onAnswer: (data: unknown) => void): void {
    this.#send(query, ({ payload }) => onAnswer(payload?.data ?? null))
  }

  close(): void {
    this.#socket.terminate()
  }

  #send(query: string, listener: (message: Message) => void): void {
    const id = String(++this.#started)
    this.#listeners.set(id, listener)
    this.#socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } }))
  }
}
