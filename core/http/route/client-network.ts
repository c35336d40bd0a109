// Where a request comes from, as far as it can be believed.

import { isIP, SocketAddress } from 'node:net'
import { headerText, type RequestHeaders } from '../../auth/headers.ts'

/**
 * The network that a client is counted by: its IPv4 address, or the first 64 bits of an IPv6 one, within which a client
 * chooses its address. Of `X-Forwarded-For` the entries that the proxies of the server added are believed, no others.
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

/** Some proxies write the port as well: `10.0.0.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry)?.slice(1).find(Boolean) ?? entry

function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (isIP(plain) !== 6) return plain
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain)?.[1]
  return mapped ?? firstHalf(plain)
}

function firstHalf(address: string): string {
  // `SocketAddress` gives the canonical form, in which `::` stands for the longest run of zeros.
  const [before = '', after] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':')
    groups.push(...Array.from({ length: 8 - groups.length - rest.length }, () => '0'), ...rest)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
