// Makes the configuration of `pg` from a connection URL; the only code that does so. Parameters mean the same as for libpq.
// The result is for {@link DatabaseClient}, which can prefer encryption.

import { userInfo } from 'node:os'
import type pg from 'pg'
import { environment } from '../../options/environment.ts'
import { type ConnectionUrl, readConnectionUrl, refusal } from './connection-url.ts'
import { currentUrl } from './current-url.ts'
import { type TlsChoice, tlsChoice } from './tls-options.ts'

/** The configuration of a connection. */
export interface ConnectionConfig extends pg.ClientConfig {
  readonly ssl: TlsChoice['ssl']
  readonly preference: TlsChoice['preference']
  readonly sslnegotiation: TlsChoice['sslnegotiation']
  readonly connectionString: string
  /** Takes precedence over the one in the connection string. */
  readonly database?: string
  /** Connection timeout in milliseconds; 0: none. For a pool the number has another meaning, so it is left out there. */
  readonly connectionTimeoutMillis: number
}

/** The name of the user that runs this process; undefined for a number without a name, as in some containers. */
function systemUserName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

const usualTimeout = 10
const usualIdle = 5

/** The configuration for a URL; throws a {@link StartError} for parameters that cannot be honoured. */
export function connectionConfig(url: string): ConnectionConfig {
  const read = readConnectionUrl(currentUrl(url))
  const hostaddr = read.parameter('hostaddr')
  const timeout = seconds(read, 'connect_timeout', usualTimeout)
  const rest = withUser(read)
  return {
    connectionString: hostaddr === null ? rest : withParameter(rest, 'host', hostaddr),
    ...(read.database !== undefined && { database: read.database }),
    ...tlsChoice(read),
    connectionTimeoutMillis: timeout * 1000,
    // Detects a peer that disappeared without closing the connection.
    keepAlive: read.parameter('keepalives') !== '0',
    keepAliveInitialDelayMillis: seconds(read, 'keepalives_idle', usualIdle) * 1000,
    ...(read.parameter('channel_binding') === 'require' && { enableChannelBinding: true }),
  }
}

/** The URL with the user that libpq takes if it names none: the driver would take $USER, which services do not have. */
function withUser({ rest, user }: ConnectionUrl): string {
  const name = user || environment['PGUSER'] ? undefined : systemUserName()
  return name === undefined ? rest : withParameter(rest, 'user', name)
}

function seconds(url: ConnectionUrl, name: string, usual: number): number {
  const text = String(url.parameter(name) ?? usual)
  if (/^\s*[+-]?\d{1,6}\s*$/.test(text)) return Math.max(0, Number(text))
  throw refusal(`${name} ${JSON.stringify(text)} is not a number of seconds`)
}

const withParameter = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
