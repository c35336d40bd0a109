// Hosts whose certificates are not verified in requests of the server, as metadata.

import { badRequest, definePlugin, Type } from '../../sdk/index.ts'
import { operation, type SliceDefinition } from '../../sdk/metadata.ts'

/** A host, perhaps at one port only. */
export interface UnverifiedHost {
  host: string
  /** A port, with or without a colon before it; absent: any. */
  suffix?: string
  permissions?: 'self-signed'[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    network: { tls_allowlist?: UnverifiedHost[] }
  }
  interface ModelSlices {
    network: ReadonlySet<string>
  }
}

const closed = { additionalProperties: false }

const Host = Type.Object(
  {
    host: Type.String({ minLength: 1, examples: ['crm.internal'] }),
    suffix: Type.Optional(Type.String({ pattern: '^:?\\d{1,5}$', examples: ['8443'] })),
    permissions: Type.Optional(Type.Array(Type.Union([Type.Literal('self-signed')]))),
  },
  closed,
)

const Network = Type.Object({ tls_allowlist: Type.Optional(Type.Array(Host)) }, closed)

/** A host and a port, or any port. */
const placeOf = (hostname: string, port: string | undefined): string => `${hostname.toLowerCase()}:${port ?? '*'}`

const placeOfEntry = ({ host, suffix }: Pick<UnverifiedHost, 'host' | 'suffix'>): string =>
  placeOf(host, suffix?.replace(':', ''))

const slice: SliceDefinition<'network', typeof Network> = {
  schema: Network,
  empty: {},
  write: (network) => ((network.tls_allowlist ?? []).length > 0 ? network : undefined),
  resolve: ({ tls_allowlist: hosts = [] }) => new Set(hosts.map(placeOfEntry)),
}

const addHost = operation({
  type: 'add_host_to_tls_allowlist',
  about: { summary: 'Adds a host whose certificate is not verified in requests of the server.' },
  args: Host,
  handle({ metadata: { network } }, entry) {
    const hosts = network.tls_allowlist ?? []
    const isKnown = hosts.some((each) => placeOfEntry(each) === placeOfEntry(entry))
    if (isKnown) throw badRequest('already-exists', `the host "${entry.host}" already exists in the allowlist`)
    network.tls_allowlist = [...hosts, entry]
  },
})

const dropHost = operation({
  type: 'drop_host_from_tls_allowlist',
  about: { summary: 'Removes a host, so that its certificate is verified again.' },
  args: Type.Object({ host: Type.String(), suffix: Type.Optional(Type.String()) }),
  handle({ metadata: { network } }, given) {
    const hosts = network.tls_allowlist ?? []
    const isGone = ({ host, suffix }: UnverifiedHost) =>
      given.suffix === undefined
        ? host.toLowerCase() === given.host.toLowerCase()
        : placeOfEntry({ host, ...(suffix !== undefined && { suffix }) }) === placeOfEntry(given)
    const kept = hosts.filter((each) => !isGone(each))
    if (kept.length === hosts.length)
      throw badRequest('not-exists', `the host "${given.host}" isn't present in the allowlist`)
    network.tls_allowlist = kept
  },
})

export default definePlugin({
  name: 'network',
  dependencies: ['metadata'],
  register(engine) {
    engine.metadata.slice('network', slice)
    engine.operations.add(addHost, dropHost)
    const hosts = () => engine.model.slices.network
    const hasChanged = engine.outgoing.leaveUnverified((hostname, port) => {
      const network = hosts()
      if (!network || network.size === 0) return false
      return network.has(placeOf(hostname, port)) || network.has(placeOf(hostname, undefined))
    })
    let before = hosts()
    engine.metadata.service.onChange(({ slices: { network } }) => {
      const isRenewed = network !== before && ((network?.size ?? 0) > 0 || (before?.size ?? 0) > 0)
      before = network
      if (isRenewed) hasChanged()
    })
  },
})
