// What a connection URL names beside the database: parameters mean what they mean to libpq, PostgreSQL's own client library.

import { StartError } from '../../errors/start-error.ts'
import { environment } from '../../options/environment.ts'

/** A URL taken apart: what the driver reads by itself stays text. */
export interface ConnectionUrl {
  /** The URL without the parameters that are read here. */
  readonly rest: string
  /** Where it leads, as far as the URL says so. */
  readonly host: string
  /** Which database; undefined when the URL does not say so. */
  readonly database: string | undefined
  /** A parameter that is read here, by its name, or its variable; null when both are absent or empty. */
  parameter(name: string): string | null
}

/** Parameters that are read here, and so kept from the driver. */
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

/** Variables of PostgreSQL's own programs that stand for parameters. */
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

/** What asks for something that the server cannot give is refused by name, rather than left out. */
const refused: Readonly<Record<string, RegExp>> = {
  gssencmode: /^require$/,
  require_auth: /./,
  requirepeer: /./,
  service: /./,
  sslcrl: /./,
  sslcrldir: /./,
  // Trellis writes, so any other choice leads nowhere.
  target_session_attrs: /^(?!(any|read-write|primary|prefer-standby)$)/,
}

/** Percent signs that begin no escape stand for themselves, as they do to the driver. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
  } catch {
    throw refusal('what is percent-encoded in it is no UTF-8')
  }
}

const withoutHost = /^([a-z]+:\/\/)(?:([^/?#:@]*)(?::([^/?#@]*))?@)?(?::(\d+))?([/?].*)?$/i

/**
 * The URL as all readers take it. Beside a user or port libpq's may leave the host out, which then is a parameter, or the
 * default: `postgres://user:password@/database?host=/socket`. Here these are parameters, too.
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

/** Hosts that a URL lists; libpq tries one after the other. */
export function hostsOf(url: string): readonly string[] {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(url) ?? []
  const place = authority.slice(authority.lastIndexOf('@') + 1)
  const rest = url.replace(authority, '')
  if (!URL.canParse(rest)) return [place]
  const { searchParams } = new URL(rest)
  const listed = [searchParams.get('host') ?? place, searchParams.get('hostaddr') ?? '', searchParams.get('port') ?? '']
  return (listed.find((list) => list.includes(',')) ?? listed[0]!).split(',')
}

/** What is wrong with a URL that lists several hosts. */
export function refusalOfHosts(url: string): string | null {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return null
  return `Expecting one host and not ${hosts.length} (${hosts.join(', ')}): name the one that takes writes, or a proxy or DNS name that leads to it`
}

/** Takes a URL apart; throws a {@link StartError} for what cannot be honoured. */
export function readConnectionUrl(url: string): ConnectionUrl {
  const severalHosts = refusalOfHosts(url)
  if (severalHosts !== null) throw refusal(severalHosts)
  if (!URL.canParse(url)) throw refusal('it is no URL')
  const question = url.indexOf('?')
  const base = question < 0 ? url : url.slice(0, question)
  const given = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const left = new URLSearchParams([...given].filter(([name]) => !ownParameters.some((own) => own === name)))
  // Of one that is given twice the last counts.
  const parameter = (name: string) => given.getAll(name).at(-1) || environment[variables[name] ?? ''] || null
  for (const [name, pattern] of Object.entries(refused)) {
    const value = parameter(name)
    if (value !== null && pattern.test(value)) throw refusal(`${name}=${value} is not supported in its URL`)
  }
  const query = left.size > 0 ? `?${left.toString().replaceAll('+', '%20')}` : ''
  const rest = left.size === given.size ? url : base + query
  const { username, password, hostname, pathname } = new URL(base)
  const [, , place, name] = [username, password, hostname, pathname.slice(1)].map(decoded)
  const host = left.get('host') ?? (place || environment['PGHOST'])
  const database = parameter('dbname') ?? (name || undefined)
  return { rest, host: host ?? '', database, parameter }
}

/** A {@link StartError} about the URL of the database. */
export const refusal = (reason: string): StartError => new StartError(`Database URL: ${reason} (--database-url)`)
