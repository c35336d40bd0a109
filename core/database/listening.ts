// A connection that hears notifications.

import pg from 'pg'
import { connectionConfig } from './connection-config.ts'
import { DatabaseClient } from './database-client.ts'

export interface ListeningOptions {
  /** A connection URL. */
  readonly url: string
  /** Milliseconds that connecting may take. */
  readonly patienceMillis: number
  readonly channel: string
  readonly onNotify: (payload: string) => void
  /** Told once when the connection ends otherwise than by {@link Listening.stop}. */
  readonly onLost: (error: Error) => void
}

export interface Listening {
  stop(): Promise<void>
}

/** Listens to a channel until it is stopped; rejects with what `pg` says. */
export async function listen(options: ListeningOptions): Promise<Listening> {
  const { url, patienceMillis, channel, onNotify, onLost } = options
  const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: patienceMillis })
  let stopped = false
  const lose = (error: Error) => {
    if (!stopped) onLost(error)
    stopped = true
  }
  client.on('notification', (message) => onNotify(message.payload ?? ''))
  client.on('error', lose)
  client.on('end', () => lose(new Error('connection ended')))
  await client.connect()
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  return {
    stop: async () => {
      stopped = true
      await client.end().catch(() => {})
    },
  }
}
