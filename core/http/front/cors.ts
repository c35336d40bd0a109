// Decides which origins browsers may call from, and sets the CORS headers.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { dialects } from '../../names/dialect.ts'
import type { ServerSettings } from '../options.ts'

/** Returns whether requests of an `Origin` are allowed. */
export type OriginCheck = (origin: string) => boolean

/** The allowed origins: listed ones are echoed by name; others get `*`, if they are allowed. */
export interface CorsPolicy {
  /** Origins that may send credentials. The response echoes their name. */
  readonly named: OriginCheck
  /** Whether all other origins may call, without credentials. */
  readonly anybody: boolean
}

const wildcardDomain = /^([a-z][a-z0-9+.-]*:\/\/)\*(\..+)$/

function domainCheck(domain: string): OriginCheck {
  const [, start, end] = wildcardDomain.exec(domain) ?? []
  if (start === undefined || end === undefined) return (origin) => origin === domain
  // The wildcard stands for exactly one label.
  return (origin) =>
    origin.startsWith(start) &&
    origin.endsWith(end) &&
    origin.length > start.length + end.length &&
    !origin.slice(start.length, -end.length).includes('.')
}

/** Returns a check for a list of domains. */
export function originCheck(domains: readonly string[]): OriginCheck {
  const checks = domains.map(domainCheck)
  return (origin) => checks.some((allows) => allows(origin))
}

/** The policy of `--cors-domain`; null if cross-origin calls are disabled. */
export function corsPolicy(
  settings: Pick<ServerSettings, 'corsDomain' | 'disableCors' | 'dialect'>,
): CorsPolicy | null {
  const { corsDomain: domains, disableCors, dialect } = settings
  if (disableCors) return null
  const anybody = domains.includes('*')
  if (anybody && dialects[dialect].trustsEveryOrigin) return { named: () => true, anybody }
  return { named: originCheck(domains), anybody }
}

/** The domains for the log: full names as they are, wildcard domains in their parts. */
export function describeDomains(domains: readonly string[]) {
  if (domains.includes('*')) return '*'
  const wildcards = domains.flatMap((domain) => {
    const [, scheme, host, port] = /^([^:]+:\/\/)\*\.([^:]+)(?::(\d+))?$/.exec(domain) ?? []
    return scheme === undefined ? [] : [{ scheme, host, port: port === undefined ? null : Number(port) }]
  })
  return { fqdns: domains.filter((domain) => !wildcardDomain.test(domain)), wildcards }
}

const methods = 'GET,POST,PUT,PATCH,DELETE,OPTIONS'

/** Adds the CORS headers of an allowed origin. Returns true if the request was a preflight, which is then answered. */
export function applyCors(
  { named, anybody }: CorsPolicy,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  response.setHeader('Vary', 'Origin')
  if (named(origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Access-Control-Allow-Credentials', 'true')
  } else if (anybody) response.setHeader('Access-Control-Allow-Origin', '*')
  else return false
  response.setHeader('Access-Control-Allow-Methods', methods)
  if (request.method !== 'OPTIONS') return false
  response.writeHead(204, {
    'Access-Control-Max-Age': '1728000',
    'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '',
    'Content-Length': '0',
    'Content-Type': 'text/plain charset=UTF-8',
  })
  response.end()
  return true
}
