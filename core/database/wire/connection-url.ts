// The parameters of a connection URL, with the meaning they have in libpq, PostgreSQL's client library.

import { StartError } from '../../errors/start-error.ts'
import { environment } from '../../options/environment.ts'
import { currentHost } from './hosts.ts'

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
  const text = listSpelledOut(url.trim())
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

const authority = /^([a-z]+:\/\/)(?:([^/?#:@]*)(?::([^/?#@]*))?@)?([^/?#@]*)(.*)$/i

/** A URL with several hosts as one with a list in the parameters `host` and `port`, which every parser accepts. */
function listSpelledOut(url: string): string {
  const [, scheme, user, password, list = '', rest = ''] = authority.exec(url) ?? []
  if (scheme === undefined || !list.includes(',')) return url
  const places = list.split(',').map((place) => /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(place) ?? [place, place])
  const host = places.map(([, name = '']) => name.replaceAll(/[[\]]/g, '')).join(',')
  const ports = places.map(([, , port = '']) => port || '5432')
  const beside = Object.entries({ user, password }).flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(decoded(value))}`] : [],
  )
  const path = rest === '' || rest.startsWith('?') ? `/${rest}` : rest
  const query = [...beside, `host=${host}`, `port=${ports.join(',')}`].join('&')
  return `${scheme}${path}${path.includes('?') ? '&' : '?'}${query}`
}

/** Why the list of hosts of a URL is refused; null for one host, and for a list that can be used. */
export function refusalOfHosts(url: string): string | null {
  const hosts = hostsOf(url)
  if (hosts.length < 2 || !URL.canParse(url)) return null
  const { searchParams } = new URL(url)
  const [named, ports] = [searchParams.get('host') ?? '', searchParams.get('port') ?? '']
  if (searchParams.get('hostaddr')?.includes(',')) return 'Expecting one hostaddr: give a list of hosts as host'
  const portCount = ports.split(',').length
  if (portCount > 1 && portCount !== named.split(',').length) {
    return `Expecting one port, or one for each host: there are ${portCount} ports for ${named}`
  }
  const attributes = searchParams.get('target_session_attrs')
  return attributes === 'prefer-standby'
    ? 'target_session_attrs=prefer-standby is not supported with several hosts'
    : null
}

/** Parses a URL, of several hosts that of the current one; throws a {@link StartError} for parameters that cannot be honoured. */
export function readConnectionUrl(given: string): ConnectionUrl {
  const badHosts = refusalOfHosts(given)
  if (badHosts !== null) throw refusal(badHosts)
  const url = currentHost(given)
  if (!URL.canParse(url)) throw refusal('it is not a URL')
  const question = url.indexOf('?')
  const base = question < 0 ? url : url.slice(0, question)
  const parameters = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const left = new URLSearchParams([...parameters].filter(([name]) => !ownParameters.some((own) => own === name)))
  // If a parameter is repeated, the last one counts.
  const parameter = (name: string) => parameters.getAll(name).at(-1) || environment[variables[name] ?? ''] || null
  for (const [name, pattern] of Object.entries(refused)) {
    const value = parameter(name)
    if (value !== null && pattern.test(value)) throw refusal(`${name}=${value} is not supported in its URL`)
  }
  const query = left.size > 0 ? `?${left.toString().replaceAll('+', '%20')}` : ''
  const rest = left.size === parameters.size ? url : base + query
  const { username, password, hostname, pathname } = new URL(base)
  const [login = '', , place, name] = [username, password, hostname, pathname.slice(1)].map(decoded)
  const host = left.get('host') ?? (place || environment['PGHOST'])
  const database = parameter('dbname') ?? (name || undefined)
  return { rest, user: left.get('user') ?? login, host: host ?? '', database, parameter }
}

/** A {@link StartError} about the URL of the database. */
export const refusal = (reason: string): StartError => new StartError(`Database URL: ${reason} (--database-url)`)
