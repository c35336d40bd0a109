// From a connection URL to what `pg` connects with: the one place that reads such URLs. Parameters mean what they mean to
// libpq. A configuration is for {@link DatabaseClient}, which knows how to prefer encryption.

import type pg from 'pg'
import { type ConnectionUrl, readConnectionUrl, refusal } from './connection-url.ts'
import { type TlsChoice, tlsChoice } from './tls-options.ts'

/** What a connection is made with. */
export interface ConnectionConfig extends pg.ClientConfig {
  readonly ssl: TlsChoice['ssl']
  readonly preference: TlsChoice['preference']
  readonly sslnegotiation: TlsChoice['sslnegotiation']
  readonly connectionString: string
  /** Counts over that of the connection string. */
  readonly database?: string
  /** Milliseconds that connecting may take; 0: without end. Of a pool that number has another meaning: leave it out there. */
  readonly connectionTimeoutMillis: number
}

const usualTimeout = 10
const usualIdle = 5

/** How to connect to the database of a URL; throws a {@link StartError} for what cannot be honoured. */
export function connectionConfig(url: string): ConnectionConfig {
  const read = readConnectionUrl(url)
  const hostaddr = read.parameter('hostaddr')
  const timeout = seconds(read, 'connect_timeout', usualTimeout)
  return {
    connectionString: hostaddr === null ? read.rest : withParameter(read.rest, 'host', hostaddr),
    ...(read.database !== undefined && { database: read.database }),
    ...tlsChoice(read),
    connectionTimeoutMillis: timeout * 1000,
    // A peer that went away without a word is found out.
    keepAlive: read.parameter('keepalives') !== '0',
    keepAliveInitialDelayMillis: seconds(read, 'keepalives_idle', usualIdle) * 1000,
    ...(read.parameter('channel_binding') === 'require' && { enableChannelBinding: true }),
  }
}

function seconds(url: ConnectionUrl, name: string, usual: number): number {
  const text = String(url.parameter(name) ?? usual)
  if (/^\s*[+-]?\d{1,6}\s*$/.test(text)) return Math.max(0, Number(text))
  throw refusal(`${name} ${JSON.stringify(text)} is no number of seconds`)
}

const withParameter = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
