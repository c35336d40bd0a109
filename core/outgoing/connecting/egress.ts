// The policy of reachable addresses. It is enforced where connections are made, so redirects cannot get around it.
// Neither can DNS rebinding: a name is resolved once, and the connection uses the checked address.

import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { OutgoingError } from '../request.ts'

/** Networks that are not public: loopback, private, link-local, carrier or reserved ones. */
const reserved: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...['::/127', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/**
 * IPv6 networks that embed an IPv4 address, with the group where it begins: mapped, translated, compatible, NAT64,
 * 6to4.
 */
const carriers: readonly (readonly [network: string, group: number])[] = [
  ['::ffff:0:0/96', 6],
  ['::ffff:0:0:0/96', 6],
  ['::/96', 6],
  ['64:ff9b::/96', 6],
  ['2002::/16', 1],
]

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/')
    if (bits === undefined) list.addAddress(address!, familyOf(address!))
    else list.addSubnet(address!, Number(bits), familyOf(address!))
  }
  return list
}

const reservedList = listOf(reserved)
const carrierLists = carriers.map(([network, group]) => [listOf([network]), group] as const)

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser gives the shortest form, without an IPv4 part.
  const [head, tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const read = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [])
  const [before, after] = [read(head), read(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** The IPv4 address that an IPv6 address embeds, or else the address itself. */
function effectiveAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const plain = address.split('%', 1)[0]!
  const carrier = carrierLists.find(([list]) => list.check(plain, 'ipv6'))
  if (!carrier || plain === '::' || plain === '::1') return plain
  const [high, low] = groupsOf(plain).slice(carrier[1], carrier[1] + 2) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Whether an address is private. */
export function isPrivate(address: string): boolean {
  const effective = effectiveAddress(address)
  return reservedList.check(effective, familyOf(effective))
}

const network = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/

/** Returns the error in a list of hosts and networks; null if it is valid. */
export function refusalOfEgress(allowed: readonly string[]): string | null {
  const bad = allowed.find((entry) => !isHost(entry) && !isNetwork(entry))
  return bad === undefined ? null : `"${bad}" is neither a host nor an address nor a network such as 10.1.0.0/16`
}

const isHost = (entry: string): boolean =>
  /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/.test(entry) && !/^[\d.]+$/.test(entry)

function isNetwork(entry: string): boolean {
  const [, address, bits] = network.exec(entry) ?? []
  if (address === undefined || isIP(address) === 0) return false
  return bits === undefined || Number(bits) <= (isIP(address) === 6 ? 128 : 32)
}

/** A policy of reachable addresses. */
export interface Egress {
  /** Throws an {@link OutgoingError} if the address may not be reached. `hostname` has no brackets. */
  admitAddress(hostname: string, address: string): void
  /** Resolves a name to those of its addresses that may be reached. */
  readonly lookup: LookupFunction
}

/** Creates the policy that denies private networks, except these hosts and networks. */
export function denyPrivate(allowed: readonly string[]): Egress {
  const hosts = new Set(allowed.filter(isHost).map((host) => host.toLowerCase()))
  const networks = listOf(allowed.filter(isNetwork))
  const isAdmitted = (hostname: string, address: string): boolean => {
    if (hosts.has(hostname.toLowerCase()) || !isPrivate(address)) return true
    const effective = effectiveAddress(address)
    return networks.check(effective, familyOf(effective))
  }
  const refusal = (hostname: string) =>
    new OutgoingError('forbidden', `requests to ${hostname} are not allowed: it is in a private network`)
  return {
    admitAddress(hostname, address) {
      if (!isAdmitted(hostname, address)) throw refusal(hostname)
    },
    lookup(hostname, options, done) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, '', 0)
        const admitted = addresses.filter(({ address }) => isAdmitted(hostname, address))
        const [first] = admitted
        if (!first) return done(refusal(hostname), '', 0)
        if (options.all) done(null, admitted)
        else done(null, first.address, first.family)
      })
    },
  }
}

/** Creates a connector that enforces a policy: for an address here, for a name at its resolution. */
export function connectorBy(
  egress: Egress,
  build: typeof buildConnector,
  options: buildConnector.BuildOptions = {},
): buildConnector.connector {
  const connect = build({ ...options, lookup: egress.lookup })
  return (options, done) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '')
    try {
      if (isIP(hostname) !== 0) egress.admitAddress(hostname, hostname)
    } catch (error) {
      done(error as OutgoingError, null)
      return
    }
    connect(options, done)
  }
}
