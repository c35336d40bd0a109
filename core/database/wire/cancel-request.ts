// Cancel requests, which need a connection of their own. Written against the internals of the pinned version of `pg`.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { cancelTimeoutMillis, closeTimeoutMillis } from '../tuning.ts'

/** Private members of `pg`'s Client. */
interface ClientInternals {
  readonly connection: { readonly stream: Socket }
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation: string
  readonly processID: number | null
  readonly secretKey: number | null
}

/** `pg`'s Connection before login. */
interface BareConnection extends EventEmitter {
  readonly stream: Socket
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

type BareConnectionClass = new (options: Pick<ClientInternals, 'ssl' | 'sslNegotiation'>) => BareConnection

const BareConnection: BareConnectionClass = pg.Connection as BareConnectionClass & typeof pg.Connection

const internalsOf = (client: pg.Client) => client as pg.Client & ClientInternals

/** Cancels the running statement of a client; resolves when PostgreSQL has received the request. Without effect on an idle one. */
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
  // PostgreSQL closes the connection after passing the request on.
  return new Promise((done) => {
    const late = setTimeout(() => connection.stream.destroy(), cancelTimeoutMillis)
    const end = () => {
      clearTimeout(late)
      done()
    }
    connection.once('end', end)
    connection.on('error', end)
  })
}

/** Cancels, then cuts the client's connection: while a statement waits, PostgreSQL does not notice a cut connection. */
export async function abandon(client: pg.Client): Promise<void> {
  await requestCancel(client)
  internalsOf(client).connection.stream.destroy()
}

/** Ends a connection in order, or cuts it if PostgreSQL does not answer. */
export async function closeClient(client: pg.Client): Promise<void> {
  const late = setTimeout(() => internalsOf(client).connection.stream.destroy(), closeTimeoutMillis)
  await client.end().catch(() => {})
  clearTimeout(late)
}
