// What web pages may have the server do, judged before anything reads the request. Browsers send a page's requests from
// the machine of whoever looks at it, with their cookies, to addresses that only they reach; what tells such requests from
// those of other clients is what no page can leave out: `Host`, `Origin`, `Sec-Fetch-Site`.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Auth } from '../../auth/auth.ts'
import { hasAdminSecret } from '../../auth/option-rules.ts'
import { TrellisError } from '../../errors/errors.ts'
import type { ServerSettings } from '../options.ts'
import { type OriginCheck, originCheck } from './cors.ts'
import { isAddress, isLoopback, isSameOrigin, listeningOf, readHost, readOrigin } from './hosts.ts'

/** Judges a request: its refusal, or null. */
export type Gate = (request: IncomingMessage) => TrellisError | null

/** What the gate asks of authentication; null where no session can come from a cookie. */
export type CookieUse = Pick<Auth, 'usesCookie'> | null

type GateSettings = Pick<ServerSettings, 'serverHost' | 'adminSecret' | 'accessKey' | 'corsDomain' | 'disableCors'>

/** The gate of a server with these settings. */
export function createGate(settings: GateSettings, cookies: CookieUse): Gate {
  // `*` lists nobody.
  const listed = settings.disableCors
    ? () => false
    : originCheck(settings.corsDomain.filter((domain) => domain !== '*'))
  const open = hasAdminSecret(settings) ? null : openGate(settings, listed)
  return (request) => {
    const refusal = open?.(request) ?? null
    if (refusal !== null) return refusal
    const { headers } = request
    const site = headers['sec-fetch-site']
    if (headers.origin === undefined && (site === undefined || isOwnSite(site))) return null
    if (request.method === 'POST' && needsNoPreflight(headers['content-type'])) return unasked()
    if (cookies?.usesCookie(headers) && !isTrustedPage(headers, listed)) return foreignCookie()
    return null
  }
}

/** Of a request that was sent by a page of this very server, or by no page at all. */
const isOwnSite = (site: string | string[]): boolean => site === 'same-origin' || site === 'none'

const simpleTypes = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])

/** Whether browsers send this type across sites without asking first; what is no type at all they might. */
function needsNoPreflight(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const essence = type.trim().toLowerCase()
  return simpleTypes.has(essence) || !/^[^\s/,]+\/[^\s/,]+$/.test(essence)
}

const unasked = () =>
  new TrellisError(
    415,
    'invalid-headers',
    'the Content-Type is missing, or one that browsers send across sites without asking: web pages have to send application/json',
  )

/** Whether the page is one of this server, as the browser or its address says, or one whose origin is listed. */
function isTrustedPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, listed: OriginCheck): boolean {
  if (site === 'same-origin') return true
  return origin !== undefined && (isSameOrigin(origin, host ?? '') || listed(origin))
}

const foreignCookie = () =>
  forbidden('cookies count only in requests of the same origin, and of origins that --cors-domain lists by name')

const forbidden = (message: string) => new TrellisError(403, 'access-denied', message)

/** The gate of a server that trusts everybody: no page but those of this machine, and no name that others give it. */
function openGate(settings: GateSettings, listed: OriginCheck): Gate {
  const trust = hostTrust(settings)
  return ({ method, url = '', headers, rawHeaders }) => {
    const { origin, host } = headers
    const trusted = hasOneHost(rawHeaders) ? trust(host) : 'no'
    // The target of a request to a proxy names the host, too.
    const target = url.startsWith('/') || url === '*' ? trusted : lesser(trusted, trust(authorityOf(url)))
    if (target === 'no') return foreignHost()
    if (origin !== undefined) {
      const own = target === 'yes' && isSameOrigin(origin, host ?? '')
      return own || isLoopbackOrigin(origin) || listed(origin) ? null : foreignOrigin()
    }
    const embedded = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate'
    return embedded && (method === 'GET' || method === 'HEAD') ? foreignOrigin() : null
  }
}

/** Of several, whoever passed the request on may have looked at another than Node does. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name === 'Host' || name === 'host' || (name.length === 4 && name.toLowerCase() === 'host')) count++
  }
  return count === 1
}

const foreignHost = () =>
  forbidden(
    'without an admin secret requests are served only when their Host is localhost, a loopback address, or what --server-host names',
  )

const foreignOrigin = () =>
  forbidden(
    'without an admin secret requests of web pages are served only from the same origin, from localhost, and from origins that --cors-domain lists by name',
  )

function isLoopbackOrigin(origin: string): boolean {
  const host = readOrigin(origin)
  return host !== null && isLoopback(host.name)
}

const authorityOf = (url: string): string => /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''

/** `programs`: served unless a page asks, since a browser could be led there under a name that somebody else gave. */
type Trust = 'yes' | 'programs' | 'no'

const lesser = (one: Trust, other: Trust): Trust => {
  if (one === 'no' || other === 'no') return 'no'
  return one === 'programs' ? one : other
}

/**
 * How far the `Host` of a request is trusted. A page reaches this machine under a name of its own by having the name
 * point here; under an address it cannot. Where the server listens for everybody, names of one label are for programs
 * beside it, such as other containers.
 */
function hostTrust(settings: GateSettings): (host: string | undefined) => Trust {
  const { reach, name: own } = listeningOf(settings)
  const judge = (host: string): Trust => {
    const name = readHost(host)?.name
    if (name === undefined) return 'no'
    if (isLoopback(name) || name === own) return 'yes'
    if (reach !== 'everywhere') return 'no'
    if (isAddress(name)) return 'yes'
    return name.includes('.') ? 'no' : 'programs'
  }
  // Hosts hardly ever change from one request to the next.
  let last: { readonly host: string; readonly trust: Trust } = { host: '', trust: 'no' }
  return (host = '') => {
    if (host !== last.host) last = { host, trust: judge(host) }
    return last.trust
  }
}
