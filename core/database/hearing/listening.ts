// The connection that receives notifications: one for all channels, open while at least one has a subscriber.

import pg from 'pg'
import { closeClient } from '../wire/cancel-request.ts'
import { connectionConfig } from '../wire/connection-config.ts'
import { DatabaseClient } from '../wire/database-client.ts'

export interface ListenerOptions {
  /** A connection URL. */
  readonly url: string
  /** Connection timeout, in milliseconds. */
  readonly timeoutMillis: number
}

/** A subscriber of a channel. */
interface Subscriber {
  readonly channel: string
  readonly onNotify: (payload: string) => void
  readonly onLost: (error: Error) => void
  /** Whether LISTEN has succeeded; until then a failure rejects the call. */
  isOpen: boolean
}

interface Connection {
  readonly client: DatabaseClient
  readonly ready: Promise<unknown>
  /** The end of the last statement sent: `pg` takes one statement at a time. */
  lastStatement: Promise<unknown>
  readonly subscribers: Set<Subscriber>
  isOver: boolean
}

export interface Listening {
  stop(): Promise<void>
}

export class Listener {
  readonly #options: ListenerOptions
  #connection: Connection | null = null

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Listens to a channel until stopped; rejects with the error of `pg`. `onLost` is called once if the connection ends before. */
  async listen(
    channel: string,
    onNotify: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<Listening> {
    const connection = this.#connection ?? this.#connect()
    const subscriber: Subscriber = { channel, onNotify, onLost, isOpen: false }
    connection.subscribers.add(subscriber)
    try {
      await connection.ready
      await send(connection, () => listenStatements(connection))
      subscriber.isOpen = true
    } catch (error) {
      await this.#leave(connection, subscriber)
      throw error
    }
    return { stop: () => this.#leave(connection, subscriber) }
  }

  /** Ends the connection without calling `onLost`. */
  async close(): Promise<void> {
    if (this.#connection) await this.#end(this.#connection)
  }

  #connect(): Connection {
    const { url, timeoutMillis } = this.#options
    const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: timeoutMillis })
    const subscribers = new Set<Subscriber>()
    const lose = (error: Error) => {
      if (connection.isOver) return
      this.#forget(connection)
      for (const subscriber of [...subscribers]) if (subscriber.isOpen) subscriber.onLost(error)
    }
    client.on('notification', ({ channel, payload }) => {
      for (const subscriber of subscribers) if (subscriber.channel === channel) subscriber.onNotify(payload ?? '')
    })
    client.on('error', lose)
    client.on('end', () => lose(new Error('connection ended')))
    const connection: Connection = {
      client,
      ready: client.connect(),
      lastStatement: Promise.resolve(),
      subscribers,
      isOver: false,
    }
    connection.ready.catch(lose)
    this.#connection = connection
    return connection
  }

  #forget(connection: Connection): void {
    connection.isOver = true
    if (this.#connection === connection) this.#connection = null
  }

  async #leave(connection: Connection, subscriber: Subscriber): Promise<void> {
    const { subscribers, isOver } = connection
    subscribers.delete(subscriber)
    if (isOver) return
    if (subscribers.size === 0) await this.#end(connection)
    else if (![...subscribers].some(({ channel }) => channel === subscriber.channel)) {
      const rest = () => `UNLISTEN ${pg.escapeIdentifier(subscriber.channel)}; ${listenStatements(connection)}`
      await send(connection, rest).catch(() => {})
    }
  }

  async #end(connection: Connection): Promise<void> {
    this.#forget(connection)
    await closeClient(connection.client)
  }
}

/** All channels each time, so that the connection's activity shows what it listens to. */
const listenStatements = ({ subscribers }: Connection): string =>
  [...new Set([...subscribers].map(({ channel }) => `LISTEN ${pg.escapeIdentifier(channel)}`))].join('; ')

/** Sends a statement after those before it; `text` is computed at that moment. */
function send(connection: Connection, text: () => string): Promise<unknown> {
  const sent = connection.lastStatement.then(() => connection.client.query(text()))
  connection.lastStatement = sent.catch(() => {})
  return sent
}
