// The connection that hears notifications: one for all channels, open for as long as anybody listens to one.

import pg from 'pg'
import { closeClient } from '../wire/cancel-request.ts'
import { connectionConfig } from '../wire/connection-config.ts'
import { DatabaseClient } from '../wire/database-client.ts'

export interface ListenerOptions {
  /** A connection URL. */
  readonly url: string
  /** Milliseconds that connecting may take. */
  readonly patienceMillis: number
}

/** Somebody who listens to a channel. */
interface Ear {
  readonly channel: string
  readonly onNotify: (payload: string) => void
  readonly onLost: (error: Error) => void
  /** Whether the database was told; until then what fails is a rejection. */
  isOpen: boolean
}

interface Connection {
  readonly client: DatabaseClient
  readonly ready: Promise<unknown>
  /** The end of what it was told last: `pg` takes one statement after the other. */
  told: Promise<unknown>
  readonly ears: Set<Ear>
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

  /**
   * Listens to a channel until it is stopped; rejects with what `pg` says. `onLost` is told once when the connection ends
   * otherwise.
   */
  async listen(
    channel: string,
    onNotify: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<Listening> {
    const connection = this.#connection ?? this.#connect()
    const ear: Ear = { channel, onNotify, onLost, isOpen: false }
    connection.ears.add(ear)
    try {
      await connection.ready
      await tell(connection, () => listensTo(connection))
      ear.isOpen = true
    } catch (error) {
      await this.#leave(connection, ear)
      throw error
    }
    return { stop: () => this.#leave(connection, ear) }
  }

  /** Ends the connection, and tells nobody. */
  async close(): Promise<void> {
    if (this.#connection) await this.#end(this.#connection)
  }

  #connect(): Connection {
    const { url, patienceMillis } = this.#options
    const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: patienceMillis })
    const ears = new Set<Ear>()
    const lose = (error: Error) => {
      if (connection.isOver) return
      this.#forget(connection)
      for (const ear of [...ears]) if (ear.isOpen) ear.onLost(error)
    }
    client.on('notification', ({ channel, payload }) => {
      for (const ear of ears) if (ear.channel === channel) ear.onNotify(payload ?? '')
    })
    client.on('error', lose)
    client.on('end', () => lose(new Error('connection ended')))
    const connection: Connection = { client, ready: client.connect(), told: Promise.resolve(), ears, isOver: false }
    connection.ready.catch(lose)
    this.#connection = connection
    return connection
  }

  #forget(connection: Connection): void {
    connection.isOver = true
    if (this.#connection === connection) this.#connection = null
  }

  async #leave(connection: Connection, ear: Ear): Promise<void> {
    const { ears, isOver } = connection
    ears.delete(ear)
    if (isOver) return
    if (ears.size === 0) await this.#end(connection)
    else if (![...ears].some(({ channel }) => channel === ear.channel)) {
      const rest = () => `UNLISTEN ${pg.escapeIdentifier(ear.channel)}; ${listensTo(connection)}`
      await tell(connection, rest).catch(() => {})
    }
  }

  async #end(connection: Connection): Promise<void> {
    this.#forget(connection)
    await closeClient(connection.client)
  }
}

/** Each time all channels: so the activity of the connection shows what it listens to. */
const listensTo = ({ ears }: Connection): string =>
  [...new Set([...ears].map(({ channel }) => `LISTEN ${pg.escapeIdentifier(channel)}`))].join('; ')

/** Sends a statement when those before it are over; `text` is asked for it then. */
function tell(connection: Connection, text: () => string): Promise<unknown> {
  const telling = connection.told.then(() => connection.client.query(text()))
  connection.told = telling.catch(() => {})
  return telling
}
