// Exports, clears and reloads the metadata.

import { badRequest, didYouMean, type PathKey, Type } from '../../sdk/index.ts'
import {
  decode,
  type InterfaceName,
  type MetadataService,
  NoArguments,
  type OperationContext,
  operation,
  own,
  requireSource,
  sourceName,
  unknownKeysIn,
  type WantedSource,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { consistencyReport } from './inconsistencies.ts'

/** The format of documents in an interface. */
const exportVersion = (answers: InterfaceName) => (answers === '2' ? 3 : 2)

export const exportMetadata = operation({
  type: 'export_metadata',
  about: {
    summary: 'Returns all metadata as one document.',
    result: ({ format }) => Type.Union([format.schema(2), format.schema(3)]),
  },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  handle: ({ metadata, format, interface: interfaceName }) => format.write(metadata, exportVersion(interfaceName)),
})

/** Version 2 wraps the document together with its version. */
export const exportMetadataV2 = operation({
  type: 'export_metadata',
  version: 2,
  about: {
    summary: 'Returns all metadata as one document, and its version.',
    result: ({ format }) =>
      Type.Object({
        resource_version: Type.Integer(),
        metadata: Type.Union([format.schema(2), format.schema(3)]),
      }),
  },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  handle: ({ metadata, model, format, interface: interfaceName }) => ({
    resource_version: model.resourceVersion,
    metadata: format.write(metadata, exportVersion(interfaceName)),
  }),
})

export const clearMetadata = operation({
  type: 'clear_metadata',
  about: { summary: 'Removes all metadata.' },
  args: NoArguments,
  check: 'strict',
  handle: ({ metadata, format }) => format.clear(metadata),
})

/** All sources of a kind, or those with these ids. */
type Asked = boolean | readonly string[]

/** Arguments that later engines give lists of sources to. The one source is read again in any case. */
const ofSources = ['reload_sources', 'recreate_event_triggers']

type ReloadArguments = Readonly<Record<string, Asked>>

const Asked = Type.Union([Type.Boolean(), Type.Array(Type.String())])

function reloadArguments(names: readonly string[]) {
  const all = [...names, ...ofSources]
  const asked = Type.Object(Object.fromEntries(all.map((name) => [name, Type.Optional(Asked)])))
  const ignored = [Type.Boolean(), Type.Number(), Type.String(), Type.Array(Type.Unknown())]
  const nothing = Type.Null({ convert: () => ({}) })
  return Type.Unsafe<ReloadArguments>(
    Type.Union([asked, nothing], { tolerated: Type.Union([asked, nothing, ...ignored]) }),
  )
}

const askedOf = (args: ReloadArguments, key: string): Asked | undefined =>
  isJsonObject(args) ? (own(args, key) as Asked | undefined) : undefined

/** Whether an argument that is true, or a list of ids, includes a source. */
function asksFor(args: ReloadArguments, { id, reloadedBy }: WantedSource): boolean {
  if (reloadedBy === undefined) return true
  const asked = askedOf(args, reloadedBy)
  return typeof asked === 'object' ? asked.includes(id) : asked === true
}

type Reload = Pick<OperationContext, 'metadata' | 'interface'>

/** Refuses the name of a source that does not exist. */
function requireReloaded(source: string, { metadata, interface: interfaceName }: Reload, path: readonly PathKey[]) {
  if (interfaceName !== '2') requireSource(metadata, source, path)
  else if (source !== 'default' && source !== sourceName(metadata)) throw notInMetadata('Source', source)
}

const notInMetadata = (kind: string, name: string) =>
  badRequest('not-exists', `${kind} with name "${name}" not found in metadata`)

/** Refuses unknown names. */
function refuseUnknownIds(
  args: ReloadArguments,
  { interface: interfaceName }: Reload,
  { names, known }: { readonly names: readonly string[]; readonly known: readonly WantedSource[] },
): void {
  for (const name of names) {
    const asked = askedOf(args, name)
    if (typeof asked !== 'object') continue
    const ids = known.flatMap(({ id, reloadedBy }) => (reloadedBy === name ? id : []))
    const unknown = asked.find((id) => !ids.includes(id))
    if (unknown === undefined) continue
    const help = didYouMean(unknown, () => ids)
    if (interfaceName === '2') throw notInMetadata('Remote schema', unknown).with({ help })
    throw badRequest('not-exists', `there is no "${unknown}" to reload`, { path: [name], help })
  }
}

export const reloadMetadata = (service: Pick<MetadataService, 'reloadArguments' | 'sourcesOf'>) =>
  operation({
    type: 'reload_metadata',
    about: {
      summary: 'Reads the database and the stored metadata again.',
      args: () => reloadArguments(service.reloadArguments),
    },
    args: Type.Unsafe<ReloadArguments>(Type.Unknown()),
    decode: (args, { dialect }) => decode(reloadArguments(service.reloadArguments), args, [], unknownKeysIn(dialect)),
    sources: (args, { metadata, wanted }) =>
      wanted(metadata)
        .filter((each) => asksFor(args, each))
        .map((each) => ({ ...each, isOptional: true })),
    async handle(context, args) {
      const { metadata, refreshDocument, refreshCatalog } = context
      await refreshDocument()
      for (const name of ofSources) {
        const asked = askedOf(args, name)
        if (typeof asked !== 'object') continue
        for (const [i, source] of asked.entries()) requireReloaded(source, context, [name, i])
      }
      refuseUnknownIds(args, context, { names: service.reloadArguments, known: service.sourcesOf(metadata) })
      refreshCatalog('all')
    },
    respond(after) {
      if (after.interface !== '2') return undefined
      const { is_consistent, inconsistent_objects } = consistencyReport(after)
      return { message: 'success', is_consistent, ...(!is_consistent && { inconsistent_objects }) }
    },
  })
