// Operations on sources. There is one: the database of the server's options, under any name.

import { badRequest, type QualifiedName, Type } from '../../sdk/index.ts'
import {
  dependenciesOn,
  functionRef,
  type MetadataDocument,
  NoArguments,
  ObjectName,
  type ObjectRef,
  operation,
  requireSource,
  SourceName,
  sourceName,
  VerbatimObject,
} from '../../sdk/metadata.ts'
import { releaseDependents } from '../tables/index.ts'

const Settings = {
  customization: Type.Optional(VerbatimObject),
  health_check: Type.Optional(VerbatimObject),
}

type Settings = Readonly<Record<string, unknown>>

/** Keeps settings of the source under its name. */
function configure(metadata: MetadataDocument, name: string, settings: Settings): void {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  metadata.source = { ...metadata.source, name, ...Object.fromEntries(given) }
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
  handle({ metadata }, { name, replace_configuration: _, ...settings }) {
    refuseSecond(metadata, name)
    configure(metadata, metadata.source && name === 'default' ? sourceName(metadata) : name, settings)
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
  handle({ metadata }, { name, ...settings }) {
    requireSource(metadata, name)
    configure(metadata, sourceName(metadata), settings)
  },
})

export const renameSource = operation({
  type: 'rename_source',
  about: { summary: 'Gives the source another name.' },
  args: Type.Object({ name: ObjectName, new_name: ObjectName }, { missingKey: 'A' }),
  check: 'new',
  handle({ metadata }, { name, new_name }) {
    requireSource(metadata, name)
    configure(metadata, new_name, {})
  },
})

/** A document as the plugin of functions declares it, which may be absent. */
interface WithFunctions extends Pick<MetadataDocument, 'tables'> {
  readonly functions?: readonly { readonly function: QualifiedName }[] | undefined
}

export const dropSource = operation({
  type: 'pg_drop_source',
  about: { summary: 'Forgets all tables and functions, and the name and settings of the source.' },
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

const Kinds = Type.Object({
  sources: Type.Array(
    Type.Object({
      kind: Type.String(),
      display_name: Type.String(),
      builtin: Type.Boolean(),
      available: Type.Boolean(),
    }),
  ),
})

export const listSourceKinds = operation({
  type: 'list_source_kinds',
  about: { summary: 'Lists the kinds of databases that the server can serve.', result: Kinds },
  args: NoArguments,
  editsMetadata: false,
  onlyReads: true,
  handle: () => ({ sources: [{ kind: 'pg', display_name: 'pg', builtin: true, available: true }] }),
})

/** Relations of users: no objects of the server, of extensions or of the system. */
const relations = `
  select n.nspname as schema, c.relname as name
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and n.nspname !~ '^pg_'
    and n.nspname <> all ($1::text[])
    and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
  order by 1, 2`

export const getSourceTables = operation({
  type: 'pg_get_source_tables',
  about: {
    summary: 'Lists the tables and views of the database.',
    result: Type.Array(Type.Object({ schema: Type.String(), name: Type.String() })),
  },
  args: Type.Object({ source: SourceName }),
  access: 'any',
  editsMetadata: false,
  onlyReads: true,
  handle({ transaction, dialect }) {
    const own = ['information_schema', 'trellis', ...(dialect.systemSchema === null ? [] : [dialect.systemSchema])]
    return transaction.rows<{ schema: string; name: string }>(relations, [own])
  },
})
