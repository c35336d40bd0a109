// Refuses requests that a foreign web page may have caused, before anything reads the request. A browser sends a
// page's requests from the user's machine, with the user's cookies, to addresses that only this machine reaches.
// Pages cannot leave out or forge `Host`, `Origin` and `Sec-Fetch-Site`, so these headers decide.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Auth } from '../../auth/auth.ts'
import { hasAdminSecret } from '../../auth/option-rules.ts'
import { TrellisError } from '../../errors/errors.ts'
import type { ServerSettings } from '../options.ts'
import { type OriginCheck, originCheck } from './cors.ts'
import { isAddress, isLoopback, isSameOrigin, listeningOf, readHost, readOrigin } from './hosts.ts'

/** Returns the refusal of a request, or null. */
export type Gate = (request: IncomingMessage) => TrellisError | null

/** The part of authentication that the gate needs; null if cookies never give a session. */
export type CookieUse = Pick<Auth, 'usesCookie'> | null

type GateSettings = Pick<ServerSettings, 'serverHost' | 'adminSecret' | 'accessKey' | 'corsDomain' | 'disableCors'>

/** Creates the gate for these settings. */
export function createGate(settings: GateSettings, cookies: CookieUse): Gate {
  // `*` does not list an origin by name.
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

/** Whether a page of this server sent the request, or the user did so directly (`none`). */
const isOwnSite = (site: string | string[]): boolean => site === 'same-origin' || site === 'none'

const simpleTypes = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])

/** Whether browsers may send this content type across sites without a preflight. A malformed type may pass as well. */
function needsNoPreflight(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1)
  const essence = type.trim().toLowerCase()
  return simpleTypes.has(essence) || !/^[^\s/,]+\/[^\s/,]+$/.test(essence)
}

const unasked = () =>
  new TrellisError(
    415,
    'invalid-headers',
    'the Content-Type is missing, or one that browsers send across sites without a preflight: web pages have to send application/json',
  )

/** Whether the page is of the same origin, by the browser's word or by its address, or of a listed origin. */
function isTrustedPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders, listed: OriginCheck): boolean {
  if (site === 'same-origin') return true
  return origin !== undefined && (isSameOrigin(origin, host ?? '') || listed(origin))
}

const foreignCookie = () =>
  forbidden('cookies count only in requests of the same origin, and of origins that --cors-domain lists by name')

const forbidden = (message: string) => new TrellisError(403, 'access-denied', message)

/** The gate of a server without an admin secret: serves only pages of this machine, and only under its own names. */
function openGate(settings: GateSettings, listed: OriginCheck): Gate {
  const trust = hostTrust(settings)
  return ({ method, url = '', headers, rawHeaders }) => {
    const { origin, host } = headers
    const trusted = hasOneHost(rawHeaders) ? trust(host) : 'no'
    // The target of a proxy request contains a host as well.
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

/** Given several `Host` headers, a proxy before the server may have used another one than Node does. */
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

/**
 * `programs`: served unless a page sends it, because a page could have given that name to this machine (DNS
 * rebinding).
 */
type Trust = 'yes' | 'programs' | 'no'

const lesser = (one: Trust, other: Trust): Trust => {
  if (one === 'no' || other === 'no') return 'no'
  return one === 'programs' ? one : other
}

/**
 * Returns how far the `Host` of a request is trusted. A page can point its own name to this machine (DNS rebinding),
 * but it cannot do so with an address. If the server listens on all interfaces, single-label names are for programs
 * on the same network, such as other containers.
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
  // `Host` seldom changes between requests.
  let last: { readonly host: string; readonly trust: Trust } = { host: '', trust: 'no' }
  return (host = '') => {
    if (host !== last.host) last = { host, trust: judge(host) }
    return last.trust
  }
}
