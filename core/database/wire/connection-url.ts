// The parameters of a connection URL, with the meaning they have in libpq, PostgreSQL's client library.

import { StartError } from '../../errors/start-error.ts'
import { environment } from '../../options/environment.ts'

/** A parsed URL; the parts that the driver reads itself stay text. */
export interface ConnectionUrl {
  /** The URL without the parameters read here. */
  readonly rest: string
  /** The user; empty if the URL does not name one. */
  readonly user: string
  /** The host, if the URL names one. */
  readonly host: string
  /** The database; undefined if the URL does not name one. */
  readonly database: string | undefined
  /** A parameter by its name, or its environment variable; null if both are absent or empty. */
  parameter(name: string): string | null
}

/** Parameters that are read here, and therefore removed from the driver's URL. */
const ownParameters = [
  'channel_binding',
  'connect_timeout',
  'dbname',
  'gssencmode',
  'hostaddr',
  'keepalives',
  'keepalives_idle',
  'require_auth',
  'requirepeer',
  'service',
  'ssl',
  'ssl_max_protocol_version',
  'ssl_min_protocol_version',
  'sslcert',
  'sslcrl',
  'sslcrldir',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslpassword',
  'sslrootcert',
  'target_session_attrs',
  'uselibpqcompat',
] as const

/** Environment variables of libpq for these parameters. */
const variables: Readonly<Record<string, string>> = {
  channel_binding: 'PGCHANNELBINDING',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  ssl_max_protocol_version: 'PGSSLMAXPROTOCOLVERSION',
  ssl_min_protocol_version: 'PGSSLMINPROTOCOLVERSION',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
  sslrootcert: 'PGSSLROOTCERT',
}

/** Values that ask for features the server lacks: they are refused by name rather than ignored. */
const refused: Readonly<Record<string, RegExp>> = {
  gssencmode: /^require$/,
  require_auth: /./,
  requirepeer: /./,
  service: /./,
  sslcrl: /./,
  sslcrldir: /./,
  // Trellis writes, so any other choice cannot work.
  target_session_attrs: /^(?!(any|read-write|primary|prefer-standby)$)/,
}

/** Decodes percent escapes; a percent sign without an escape stands for itself, as in the driver. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    throw refusal('its percent escapes are not UTF-8')
  }
}

const withoutHost = /^([a-z]+:\/\/)(?:([^/?#:@]*)(?::([^/?#@]*))?@)?(?::(\d+))?([/?].*)?$/i

/**
 * The URL in a form that every parser accepts. With a user or port, libpq allows an empty host, which comes from a parameter
 * or the default: `postgres://user:password@/database?host=/socket`. Here user and port become parameters, too.
 */
export function spelledOut(url: string): string {
  const text = url.trim()
  const [, scheme, user, password, port, rest = ''] = withoutHost.exec(text) ?? []
  if (scheme === undefined) return text
  const beside = Object.entries({ user, password, port }).flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(decoded(value))}`] : [],
  )
  if (beside.length === 0) return text
  return `${scheme}${rest}${rest.includes('?') ? '&' : '?'}${beside.join('&')}`
}

/** The hosts of a URL; libpq tries them in order. */
export function hostsOf(url: string): readonly string[] {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(url) ?? []
  const place = authority.slice(authority.lastIndexOf('@') + 1)
  const rest = url.replace(authority, '')
  if (!URL.canParse(rest)) return [place]
  const { searchParams } = new URL(rest)
  const listed = [searchParams.get('host') ?? place, searchParams.get('hostaddr') ?? '', searchParams.get('port') ?? '']
  return (listed.find((list) => list.includes(',')) ?? listed[0]!).split(',')
}

/** Why a URL with several hosts is refused. */
export function refusalOfHosts(url: string): string | null {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return null
  return `Expecting one host and not ${hosts.length} (${hosts.join(', ')}): name the one that takes writes, or a proxy or DNS name that leads to it`
}

/** Parses a URL; throws a {@link StartError} for parameters that cannot be honoured. */
export function readConnectionUrl(url: string): ConnectionUrl {
  const severalHosts = refusalOfHosts(url)
  if (severalHosts !== null) throw refusal(severalHosts)
  if (!URL.canParse(url)) throw refusal('it is not a URL')
  const question = url.indexOf('?')
  const base = question < 0 ? url : url.slice(0, question)
  const given = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const left = new URLSearchParams([...given].filter(([name]) => !ownParameters.some((own) => own === name)))
  // If a parameter is repeated, the last one counts.
  const parameter = (name: string) => given.getAll(name).at(-1) || environment[variables[name] ?? ''] || null
  for (const [name, pattern] of Object.entries(refused)) {
    const value = parameter(name)
    if (value !== null && pattern.test(value)) throw refusal(`${name}=${value} is not supported in its URL`)
  }
  const query = left.size > 0 ? `?${left.toString().replaceAll('+', '%20')}` : ''
  const rest = left.size === given.size ? url : base + query
  const { username, password, hostname, pathname } = new URL(base)
  const [login = '', , place, name] = [username, password, hostname, pathname.slice(1)].map(decoded)
  const host = left.get('host') ?? (place || environment['PGHOST'])
  const database = parameter('dbname') ?? (name || undefined)
  return { rest, user: left.get('user') ?? login, host: host ?? '', database, parameter }
}

/** A {@link StartError} about the URL of the database. */
export const refusal = (reason: string): StartError => new StartError(`Database URL: ${reason} (--database-url)`)
