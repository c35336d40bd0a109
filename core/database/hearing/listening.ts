// Notifications: one connection for all channels, open while at least one has a subscriber, and replaced when it is lost.
//
// A connection that listens may still receive nothing: a pooling proxy may give it to other clients, or a network may drop it
// silently. So channels count as heard only once an echo, sent on another connection, has arrived. The echo is repeated on
// request. A connection that received the first echo but not a later one is replaced.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { echoTimeoutMillis, listenRetryMillis } from '../tuning.ts'
import { closeClient } from '../wire/cancel-request.ts'
import { connectionConfig } from '../wire/connection-config.ts'
import { DatabaseClient } from '../wire/database-client.ts'

export interface ListenerOptions {
  /** A connection URL. */
  readonly url: string
  /** Connection timeout, in milliseconds. */
  readonly timeoutMillis: number
  /** Runs a statement on another connection. */
  readonly run: (text: string, values: readonly unknown[]) => Promise<unknown>
}

/** A listener of a channel. It stays until stopped: lost connections are replaced. */
export interface ChannelListener {
  onNotify(payload: string): void
  /** Called when notifications begin to arrive, at first and after each loss; earlier ones may have been missed. */
  onHeard?(): void
  /** Called when they cannot be received, or no longer; then only after the next `onHeard`. */
  onLost?(error: Error): void
}

export interface Listening {
  /** Whether notifications arrive. */
  readonly isHeard: boolean
  /** Tests the connection, after a notification that did not arrive; `isHeard` is false meanwhile. */
  verify(): void
  stop(): Promise<void>
}

/** A subscriber of a channel, and the call it was sent last. */
interface Subscriber extends ChannelListener {
  readonly channel: string
  state: 'new' | 'heard' | 'lost'
}

interface Connection {
  readonly client: DatabaseClient
  /** The end of the last statement sent: `pg` takes one statement at a time. */
  lastStatement: Promise<unknown>
  /** Channels for which LISTEN has succeeded. */
  channels: ReadonlySet<string>
  /** The result of the last echo; null: it is on its way. */
  isProven: boolean | null
  /** Whether any echo has arrived. */
  wasProven: boolean
  echoTimer: NodeJS.Timeout | undefined
  isOver: boolean
}

const echoChannel = 'trellis_echo'
const sendEcho = `select pg_catalog.pg_notify('${echoChannel}', $1)`

/** PostgreSQL cuts longer names, so that notifications would have another channel. */
const longestChannel = 63

export class Listener {
  readonly #options: ListenerOptions
  readonly #subscribers = new Set<Subscriber>()
  /** Distinguishes the echo from those of other instances. */
  readonly #token = randomUUID()
  #connection: Connection | null = null
  #retry: NodeJS.Timeout | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Listens to a channel until stopped. */
  listen(channel: string, { onNotify, onHeard, onLost }: ChannelListener): Listening {
    const length = Buffer.byteLength(channel)
    if (length === 0 || length > longestChannel) {
      throw new RangeError(`the name of a channel has 1 to ${longestChannel} bytes, not ${length}`)
    }
    const subscriber: Subscriber = {
      channel,
      onNotify: (payload) => onNotify(payload),
      onHeard: () => onHeard?.(),
      onLost: (error) => onLost?.(error),
      state: 'new',
    }
    this.#subscribers.add(subscriber)
    if (this.#connection) void this.#update(this.#connection)
    else this.#connect()
    const isHeard = () => subscriber.state === 'heard' && this.#connection?.isProven === true
    return {
      get isHeard() {
        return isHeard()
      },
      verify: () => this.#verify(),
      stop: () => this.#leave(subscriber),
    }
  }

  /** Ends the connection without calling `onLost`. */
  async close(): Promise<void> {
    this.#subscribers.clear()
    await this.#end()
  }

  #connect(): void {
    clearTimeout(this.#retry)
    const { url, timeoutMillis } = this.#options
    const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: timeoutMillis })
    const connection: Connection = {
      client,
      lastStatement: client.connect(),
      channels: new Set(),
      isProven: false,
      wasProven: false,
      echoTimer: undefined,
      isOver: false,
    }
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === echoChannel && payload === this.#token) this.#proven(connection)
      for (const subscriber of this.#subscribers) if (subscriber.channel === channel) subscriber.onNotify(payload)
    })
    client.on('error', (error) => this.#lose(connection, error))
    client.on('end', () => this.#lose(connection, new Error('connection ended')))
    this.#connection = connection
    void this.#update(connection)
  }

  /** Listens to the channels that have subscribers now, after the statements before it. */
  #update(connection: Connection): Promise<void> {
    const updating = connection.lastStatement.then(async () => {
      const wanted = new Set([...this.#subscribers].map(({ channel }) => channel))
      if (connection.isOver || wanted.size === 0) return
      const dropped = [...connection.channels].filter((channel) => !wanted.has(channel))
      // All channels each time, so that the connection's activity shows them all.
      const statements = [
        ...dropped.map((channel) => `UNLISTEN ${pg.escapeIdentifier(channel)}`),
        ...[...wanted, echoChannel].map((channel) => `LISTEN ${pg.escapeIdentifier(channel)}`),
      ]
      await connection.client.query(statements.join('; '))
      connection.channels = wanted
      if (connection.isProven) this.#reportHeard(connection)
      else this.#prove(connection)
    })
    const updated = updating.catch((error) => this.#lose(connection, error))
    connection.lastStatement = updated
    return updated
  }

  #verify(): void {
    const connection = this.#connection
    // Without channels, the first LISTEN is on its way, and the echo follows.
    if (connection?.channels.size) this.#prove(connection)
  }

  /** Sends an echo, unless one is on its way. */
  #prove(connection: Connection): void {
    if (connection.isProven === null) return
    connection.isProven = null
    const after = (millis: number, run: () => void) => {
      if (connection.isOver || connection.isProven !== null) return
      connection.echoTimer = setTimeout(run, millis).unref()
    }
    const again = () => {
      connection.isProven = false
      this.#prove(connection)
    }
    this.#options.run(sendEcho, [this.#token]).then(
      () => after(echoTimeoutMillis, () => this.#silent(connection)),
      () => after(listenRetryMillis, again),
    )
  }

  #proven(connection: Connection): void {
    if (connection.isOver) return
    clearTimeout(connection.echoTimer)
    connection.isProven = true
    connection.wasProven = true
    this.#reportHeard(connection)
  }

  /** The echo did not arrive. Behind a pooling proxy another connection would not help, so the first is kept. */
  #silent(connection: Connection): void {
    connection.isProven = false
    const error = new Error('notifications do not come through')
    if (connection.wasProven) this.#lose(connection, error)
    else this.#reportLost(error)
  }

  #reportHeard({ channels }: Connection): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.state === 'heard' || !channels.has(subscriber.channel)) continue
      subscriber.state = 'heard'
      subscriber.onHeard?.()
    }
  }

  #reportLost(error: Error): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.state === 'lost') continue
      subscriber.state = 'lost'
      subscriber.onLost?.(error)
    }
  }

  /** Replaces a connection; one that still works, such as after a refused LISTEN, would stay open otherwise. */
  #lose(connection: Connection, error: Error): void {
    if (connection.isOver) return
    this.#forget(connection)
    void closeClient(connection.client)
    this.#retry = setTimeout(() => this.#connect(), listenRetryMillis).unref()
    this.#reportLost(error)
  }

  #forget(connection: Connection): void {
    connection.isOver = true
    clearTimeout(connection.echoTimer)
    if (this.#connection === connection) this.#connection = null
  }

  async #leave(subscriber: Subscriber): Promise<void> {
    const connection = this.#connection
    if (!this.#subscribers.delete(subscriber)) return
    if (this.#subscribers.size === 0) await this.#end()
    else if (connection) await this.#update(connection)
  }

  async #end(): Promise<void> {
    clearTimeout(this.#retry)
    const connection = this.#connection
    if (!connection) return
    this.#forget(connection)
    await closeClient(connection.client)
  }
}
