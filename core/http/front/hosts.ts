// Hosts as options, `Host` and `Origin` name them: reading them, and which of them is this machine alone.

import { BlockList, isIP } from 'node:net'
import { hasAdminSecret } from '../../auth/option-rules.ts'
import type { ServerSettings } from '../options.ts'

/** A host in the one spelling that URLs have: lower case, addresses in full, IPv6 in brackets. */
export interface Host {
  readonly name: string
  /** Empty where it is the scheme's own. */
  readonly port: string
}

const authority = /^(?:\[[\da-f:.]+\]|[\da-z_-]+(?:\.[\da-z_-]+)*\.?)(?::\d*)?$/i
const originForm = /^(https?:)\/\/(.+)$/

/** The host of a `Host` header, or of another place that has one with its port; null when it is none. */
export function readHost(text: string, scheme = 'http:'): Host | null {
  if (!authority.test(text) || !URL.canParse(`${scheme}//${text}`)) return null
  const { hostname, port } = new URL(`${scheme}//${text}`)
  return { name: hostname.replace(/\.$/, ''), port }
}

/** The host of an `Origin` that a page may have; null of all others. */
export function readOrigin(origin: string): Host | null {
  const [, scheme, host = ''] = originForm.exec(origin) ?? []
  return scheme === undefined ? null : readHost(host, scheme)
}

/**
 * Whether a page of this origin was served by this host. The scheme is not compared: behind a proxy that ends TLS the
 * page's is https, while the server speaks http.
 */
export function isSameOrigin(origin: string, host: string): boolean {
  const [, scheme, ownHost = ''] = originForm.exec(origin) ?? []
  if (scheme === undefined) return false
  const page = readHost(ownHost, scheme)
  const server = readHost(host, scheme)
  return page !== null && server !== null && page.name === server.name && page.port === server.port
}

const loopbackAddresses = new BlockList()
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4')
loopbackAddresses.addAddress('::1', 'ipv6')

/** The kind of an address, 4 or 6; 0 of a name. */
const addressKind = (name: string): number => isIP(name.replace(/^\[|\]$/g, ''))

/** Whether a host is an address rather than a name, which somebody would have to look up. */
export const isAddress = (name: string): boolean => addressKind(name) !== 0

/** Whether a host is this machine whoever looks it up. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  const kind = addressKind(name)
  if (kind === 0) return false
  return loopbackAddresses.check(name.replace(/^\[|\]$/g, ''), kind === 4 ? 'ipv4' : 'ipv6')
}

/** Who can connect: programs of this machine, whoever reaches one address, whoever reaches any of this machine's. */
export type Reach = 'machine' | 'address' | 'everywhere'

/** Where the server listens. */
export interface Listening {
  readonly reach: Reach
  /** As the option has it, `localhost` or `*` where the option is not given. */
  readonly host: string
  /** What `Host` names when it names that; null of `*` and what is no host. */
  readonly name: string | null
}

/** Where settings have the server listen: without an admin secret on this machine only, unless they name a host. */
export function listeningOf(settings: Pick<ServerSettings, 'serverHost' | 'adminSecret' | 'accessKey'>): Listening {
  const host = settings.serverHost ?? (hasAdminSecret(settings) ? '*' : 'localhost')
  if (host === '*') return { reach: 'everywhere', host, name: null }
  const address = host.replace(/%.*$/, '')
  const name = readHost(address.includes(':') ? `[${address}]` : address)?.name ?? null
  if (name === '0.0.0.0' || name === '[::]') return { reach: 'everywhere', host, name: null }
  return { reach: name !== null && isLoopback(name) ? 'machine' : 'address', host, name }
}
