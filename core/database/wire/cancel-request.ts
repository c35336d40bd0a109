// Asking PostgreSQL, on a connection of its own, to cancel what it runs for another one. Written against the internals of the
// pinned version of `pg`.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'

/** What `pg`'s Client keeps to itself. */
interface ClientInternals {
  readonly connection: { readonly stream: Socket }
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation: string
  readonly processID: number | null
  readonly secretKey: number | null
}

/** `pg`'s Connection before anybody has logged in on it. */
interface BareConnection extends EventEmitter {
  readonly stream: Socket
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

type BareConnectionClass = new (options: Pick<ClientInternals, 'ssl' | 'sslNegotiation'>) => BareConnection

const BareConnection: BareConnectionClass = pg.Connection as BareConnectionClass & typeof pg.Connection

/** Milliseconds that a request may take. */
const patience = 2000

const internalsOf = (client: pg.Client) => client as pg.Client & ClientInternals

/** Has PostgreSQL cancel what it runs for a client; resolves when it has seen that. Without effect on an idle one. */
export function requestCancel(client: pg.Client): Promise<void> {
  const { ssl, sslNegotiation, processID, secretKey } = internalsOf(client)
  if (processID === null || secretKey === null) return Promise.resolve()
  const connection = new BareConnection({ ssl, sslNegotiation })
  const cancel = () => connection.cancel(processID, secretKey)
  if (ssl) connection.once('sslconnect', cancel)
  connection.once('connect', () => {
    if (!ssl) cancel()
    else if (sslNegotiation !== 'direct') connection.requestSsl()
  })
  if (client.host.startsWith('/')) connection.connect(`${client.host}/.s.PGSQL.${client.port}`)
  else connection.connect(client.port, client.host)
  // PostgreSQL closes the connection when it has passed the request on.
  return new Promise((done) => {
    const late = setTimeout(() => connection.stream.destroy(), patience)
    const end = () => {
      clearTimeout(late)
      done()
    }
    connection.once('end', end)
    connection.on('error', end)
  })
}

/** The same, and then cuts the client's connection: PostgreSQL does not notice that by itself while a statement waits. */
export async function abandon(client: pg.Client): Promise<void> {
  await requestCancel(client)
  internalsOf(client).connection.stream.destroy()
}

/** Milliseconds that PostgreSQL may take to close a connection. */
export const closingMillis = 2000

/** Ends a connection in order, or cuts it when PostgreSQL does not answer. */
export async function closeClient(client: pg.Client): Promise<void> {
  const late = setTimeout(() => internalsOf(client).connection.stream.destroy(), closingMillis)
  await client.end().catch(() => {})
  clearTimeout(late)
}
