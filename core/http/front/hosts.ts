// Parses the hosts in options, `Host` and `Origin`, and tells which of them are loopback.

import { BlockList, isIP } from 'node:net'
import { hasAdminSecret } from '../../auth/option-rules.ts'
import type { ServerSettings } from '../options.ts'

/** A host as URLs normalize it: lower case, IPv4 addresses in full, IPv6 in brackets. */
export interface Host {
  readonly name: string
  /** Empty if it is the scheme's default. */
  readonly port: string
}

const authority = /^(?:\[[\da-f:.]+\]|[\da-z_-]+(?:\.[\da-z_-]+)*\.?)(?::\d*)?$/i
const originForm = /^(https?:)\/\/(.+)$/

/** Parses a `Host` header, or another host with an optional port; null if it is malformed. */
export function readHost(text: string, scheme = 'http:'): Host | null {
  if (!authority.test(text) || !URL.canParse(`${scheme}//${text}`)) return null
  const { hostname, port } = new URL(`${scheme}//${text}`)
  return { name: hostname.replace(/\.$/, ''), port }
}

/** Parses the host of a web page's `Origin`; null if it is not an HTTP origin. */
export function readOrigin(origin: string): Host | null {
  const [, scheme, host = ''] = originForm.exec(origin) ?? []
  return scheme === undefined ? null : readHost(host, scheme)
}

/**
 * Returns whether this host served the page of this origin. The scheme is not compared, because a proxy may end TLS:
 * the page is https while the server speaks http.
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

/** 4 or 6 for an address, 0 for a name. */
const addressKind = (name: string): number => isIP(name.replace(/^\[|\]$/g, ''))

/** Whether a host is an address, not a name to look up. */
export const isAddress = (name: string): boolean => addressKind(name) !== 0

/** Whether a host always resolves to this machine. */
export function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  const kind = addressKind(name)
  if (kind === 0) return false
  return loopbackAddresses.check(name.replace(/^\[|\]$/g, ''), kind === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Which clients can connect: programs of this machine, clients that reach one address, or clients that reach any
 * address.
 */
export type Reach = 'machine' | 'address' | 'everywhere'

/** The address that the server listens on. */
export interface Listening {
  readonly reach: Reach
  /** The option's value; by default `localhost` or `*`. */
  readonly host: string
  /** The normalized host, as `Host` may name it; null for `*` and for a malformed host. */
  readonly name: string | null
}

/** Returns where the server listens. Without an admin secret the default is this machine only. */
export function listeningOf(settings: Pick<ServerSettings, 'serverHost' | 'adminSecret' | 'accessKey'>): Listening {
  const host = settings.serverHost ?? (hasAdminSecret(settings) ? '*' : 'localhost')
  if (host === '*') return { reach: 'everywhere', host, name: null }
  const address = host.replace(/%.*$/, '')
  const name = readHost(address.includes(':') ? `[${address}]` : address)?.name ?? null
  if (name === '0.0.0.0' || name === '[::]') return { reach: 'everywhere', host, name: null }
  return { reach: name !== null && isLoopback(name) ? 'machine' : 'address', host, name }
}
