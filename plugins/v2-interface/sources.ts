// Operations on sources. There is one: the database of the server's options, under any name.

import { badRequest, type Dialect, type QualifiedName, Type } from '../../sdk/index.ts'
import {
  Customization,
  checkSourceSettings,
  type DecodePart,
  dependenciesOn,
  functionRef,
  type MetadataDocument,
  ObjectName,
  type ObjectRef,
  operation,
  QueryTags,
  requireSource,
  sourceName,
  unnamedSource,
  VerbatimObject,
} from '../../sdk/metadata.ts'
import { releaseDependents } from '../tables/index.ts'

/** A customization, which is stored as it was given. */
const CustomizationObject = Type.Unsafe<Record<string, unknown>>(
  Type.Unknown({
    shown: Customization,
    convert(given: unknown, decodePart: DecodePart) {
      decodePart(Customization, given)
      return given
    },
  }),
)

const Settings = {
  customization: Type.Optional(CustomizationObject),
  health_check: Type.Optional(VerbatimObject),
}

type Settings = Readonly<Record<string, unknown>>

interface Editing {
  readonly metadata: MetadataDocument
  readonly dialect: Dialect
}

/** Keeps settings of the source under its name. */
function configure({ metadata, dialect }: Editing, name: string, settings: Settings): void {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  checkSourceSettings({ name, ...given }, [], dialect)
  metadata.source = { ...metadata.source, name, ...given }
}

/** The source may get its name while no document has named it. */
function refuseSecond(metadata: MetadataDocument, name: string): void {
  const own = sourceName(metadata)
  if (name === own || name === 'default') return
  if (!metadata.source && metadata.tables.length === 0) return
  throw badRequest('not-supported', `only one source is supported: "${name}" differs from "${own}"`)
}

export const addSource = operation({
  type: 'pg_add_source',
  about: { summary: 'Names the source, and keeps its connection for exports; the server uses its own.' },
  args: Type.Object(
    {
      ...{ name: ObjectName, configuration: VerbatimObject, ...Settings },
      replace_configuration: Type.Optional(Type.Boolean()),
    },
    { missingKey: 'A' },
  ),
  check: 'new',
  handle(context, { name, replace_configuration, ...settings }) {
    const { metadata } = context
    refuseSecond(metadata, name)
    if (metadata.source && name === sourceName(metadata) && replace_configuration !== true) {
      throw badRequest('already-exists', `source with name "${name}" already exists`)
    }
    configure(context, metadata.source && name === 'default' ? sourceName(metadata) : name, settings)
  },
})

export const updateSource = operation({
  type: 'pg_update_source',
  about: { summary: 'Replaces settings of the source that are kept for exports.' },
  args: Type.Object(
    { name: ObjectName, configuration: Type.Optional(VerbatimObject), ...Settings },
    { missingKey: 'A' },
  ),
  check: 'new',
  handle(context, { name, ...settings }) {
    requireSource(context.metadata, name)
    configure(context, sourceName(context.metadata), settings)
  },
})

export const renameSource = operation({
  type: 'rename_source',
  about: { summary: 'Renames the source.' },
  args: Type.Object({ name: ObjectName, new_name: ObjectName }, { missingKey: 'A' }),
  check: 'new',
  handle(context, { name, new_name }) {
    requireSource(context.metadata, name)
    configure(context, new_name, {})
  },
})

export const setQueryTags = operation({
  type: 'set_query_tags',
  about: { summary: 'Sets whether statements have a comment that names their operation.' },
  args: Type.Object({ source_name: Type.Optional(ObjectName), ...QueryTags.properties }, { missingKey: 'A' }),
  check: 'new',
  handle({ metadata, dialect }, { source_name: name, ...tags }) {
    requireSource(metadata, name)
    metadata.source = { ...(metadata.source ?? unnamedSource(dialect)), query_tags: tags }
  },
})

/** A document as the plugin of functions declares it, which may be absent. */
interface WithFunctions extends Pick<MetadataDocument, 'tables'> {
  readonly functions?: readonly { readonly function: QualifiedName }[] | undefined
}

export const dropSource = operation({
  type: 'pg_drop_source',
  about: { summary: 'Drops all tables and functions from the metadata, and the name and settings of the source.' },
  args: Type.Object({ name: ObjectName, cascade: Type.Optional(Type.Boolean()) }, { missingKey: 'A' }),
  check: 'new',
  handle(context, { name, cascade = false }) {
    const { metadata, model, remove } = context
    requireSource(metadata, name)
    const tables = metadata.tables.map(({ table }) => ({ schema: table.schema, name: table.name }))
    const { functions: entries = [] }: WithFunctions = metadata
    const functions = entries.map((entry) => ({ ...entry.function }))
    const refs = functions.map((each) => functionRef(each))
    const isInside = ({ kind, table, name: own }: ObjectRef) =>
      table !== undefined || refs.some((ref) => ref.kind === kind && ref.name === own)
    const elsewhere = tables.flatMap((table) => dependenciesOn(model, table)).filter(({ object }) => !isInside(object))
    releaseDependents(elsewhere, cascade, context)
    for (const ref of refs) remove(ref)
    for (const table of tables) remove({ kind: 'table', table })
    metadata.source = null
  },
})
