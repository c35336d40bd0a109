// Finds the network of a client, using only trusted information.

import { isIP, SocketAddress } from 'node:net'
import { headerText, type RequestHeaders } from '../../auth/headers.ts'

/**
 * Returns the key by which a client is limited: its IPv4 address, or the /64 prefix of its IPv6 address, because a
 * client can choose any address within it. Only the last `proxies` entries of `X-Forwarded-For` are trusted; the
 * server's own proxies added them.
 */
export function clientNetwork(
  { headers, address }: { readonly headers: RequestHeaders; readonly address: string },
  proxies: number,
): string {
  const forwarded = proxies > 0 ? headerText(headers, 'x-forwarded-for') : undefined
  if (forwarded === undefined) return networkOf(address)
  const entries = forwarded.split(',')
  return networkOf(withoutPort(entries[Math.max(0, entries.length - proxies)]!.trim()))
}

/** Some proxies add the port: `10.0.0.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry)?.slice(1).find(Boolean) ?? entry

function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (isIP(plain) !== 6) return plain
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain)?.[1]
  return mapped ?? firstHalf(plain)
}

function firstHalf(address: string): string {
  // `SocketAddress` gives the canonical form, where `::` replaces the longest run of zeros.
  const [before = '', after] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':')
    groups.push(...Array.from({ length: 8 - groups.length - rest.length }, () => '0'), ...rest)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
