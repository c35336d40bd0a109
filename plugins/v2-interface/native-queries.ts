// Native queries and logical models: they are not served. Operations keep them for exports, like documents.

import { badRequest, type Static, type TSchema, Type } from '../../sdk/index.ts'
import {
  type MetadataDocument,
  ObjectName,
  operation,
  SourceName,
  sourceName,
  unnamedSource,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

/** A list in the settings of the source. */
interface Kept {
  readonly key: 'native_queries' | 'logical_models'
  /** The member that names an entry. */
  readonly name: 'root_field_name' | 'name'
  readonly noun: string
  readonly title: string
}

const nativeQueries: Kept = {
  key: 'native_queries',
  name: 'root_field_name',
  noun: 'native_query',
  title: 'Native query',
}
const logicalModels: Kept = { key: 'logical_models', name: 'name', noun: 'logical_model', title: 'Logical model' }

type Entry = Readonly<Record<string, unknown>>

function entriesOf({ source }: Pick<MetadataDocument, 'source'>, { key }: Kept): readonly Entry[] {
  const list = source?.[key]
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

function keep(
  context: { readonly metadata: MetadataDocument; readonly dialect: Parameters<typeof unnamedSource>[0] },
  { key }: Kept,
  entries: readonly Entry[],
): void {
  const { metadata, dialect } = context
  const { [key]: _, name, ...others } = metadata.source ?? unnamedSource(dialect)
  metadata.source = { name, ...others, ...(entries.length > 0 && { [key]: entries }) }
}

const notFound = ({ title }: Kept, name: string, source: string) =>
  badRequest('not-found', `${title} "${name}" not found in source "${source}".`)

/** The operations `pg_track_...`, `pg_untrack_...` and `pg_get_...` of a kind. */
function operationsOf<S extends TSchema>(kept: Kept, shape: S) {
  const { name, noun, title } = kept
  const Named = Type.Object({ [name]: ObjectName, source: SourceName }, { missingKey: 'A' })
  const words = title.toLowerCase()
  const track = operation({
    type: `pg_track_${noun}`,
    about: { summary: `Keeps a ${words} for exports; it is not served.` },
    args: shape,
    handle(context, given: Static<S>) {
      const { source: _, ...entry } = given as Entry
      const id = entry[name] as string
      const entries = entriesOf(context.metadata, kept)
      if (entries.some((each) => each[name] === id)) {
        const message = `${title} '${id}' is already tracked.`
        throw badRequest('already-tracked', message)
      }
      keep(context, kept, [...entries, entry])
    },
  })
  const untrack = operation({
    type: `pg_untrack_${noun}`,
    about: { summary: `Removes a ${words} from the metadata.` },
    args: Named,
    handle(context, args) {
      const id = (args as Entry)[name] as string
      const entries = entriesOf(context.metadata, kept)
      const others = entries.filter((each) => each[name] !== id)
      if (others.length === entries.length) throw notFound(kept, id, sourceName(context.metadata))
      keep(context, kept, others)
    },
  })
  const get = operation({
    type: `pg_get_${noun}`,
    about: {
      summary: `Lists what is kept of each ${words}.`,
      result: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    },
    args: Type.Object({ source: SourceName }),
    editsMetadata: false,
    onlyReads: true,
    handle: ({ metadata }) => entriesOf(metadata, kept),
  })
  return [track, untrack, get] as const
}

/** Members that are kept as they are. */
const verbatim = (...keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, Type.Optional(Type.Unknown())]))

const NativeQuery = Type.Object(
  {
    ...{ root_field_name: ObjectName, code: Type.String(), returns: Type.Unknown(), source: SourceName },
    ...verbatim('arguments', 'type', 'description', 'object_relationships', 'array_relationships'),
  },
  { missingKey: 'A' },
)

/** The operations on native queries. */
export const nativeQueryOperations = operationsOf(nativeQueries, NativeQuery)

const LogicalModel = Type.Object(
  {
    ...{ name: ObjectName, fields: Type.Array(Type.Unknown()), source: SourceName },
    ...verbatim('description', 'select_permissions'),
  },
  { missingKey: 'A' },
)

/** The operations on logical models. */
export const logicalModelOperations = operationsOf(logicalModels, LogicalModel)

const PermissionKey = { name: ObjectName, role: ObjectName, source: SourceName }

/** They are kept as given, so they may have any form. */
type Permissions = readonly unknown[]

const roleOf = (permission: unknown): unknown => (isJsonObject(permission) ? permission['role'] : undefined)

/** Changes the select permissions of a logical model. */
function changePermissions(
  context: Parameters<typeof keep>[0],
  name: string,
  change: (permissions: Permissions) => Permissions,
): void {
  const { metadata } = context
  const entries = entriesOf(metadata, logicalModels)
  if (!entries.some((each) => each['name'] === name)) throw notFound(logicalModels, name, sourceName(metadata))
  const changed = (entry: Entry) => {
    const { select_permissions: former, ...others } = entry
    const permissions = change(Array.isArray(former) ? former : [])
    return { ...others, ...(permissions.length > 0 && { select_permissions: permissions }) }
  }
  keep(
    context,
    logicalModels,
    entries.map((each) => (each['name'] === name ? changed(each) : each)),
  )
}

export const createLogicalModelPermission = operation({
  type: 'pg_create_logical_model_select_permission',
  about: { summary: 'Keeps a permission on a logical model for exports; it has no effect.' },
  args: Type.Object(
    { ...PermissionKey, permission: Type.Unknown(), comment: Type.Optional(Type.String()) },
    { missingKey: 'A' },
  ),
  handle(context, { name, source: _, ...permission }) {
    changePermissions(context, name, (permissions) => {
      if (permissions.some((each) => roleOf(each) === permission.role)) {
        throw badRequest(
          'already-exists',
          `permission already exists on logical model "${name}" with role "${permission.role}"`,
        )
      }
      return [...permissions, permission]
    })
  },
})

export const dropLogicalModelPermission = operation({
  type: 'pg_drop_logical_model_select_permission',
  about: { summary: 'Removes a permission on a logical model from the metadata.' },
  args: Type.Object(PermissionKey, { missingKey: 'A' }),
  handle(context, { name, role }) {
    changePermissions(context, name, (permissions) => {
      const others = permissions.filter((each) => roleOf(each) !== role)
      if (others.length < permissions.length) return others
      throw badRequest('not-found', `select permission on logical model "${name}" for role "${role}" does not exist`)
    })
  },
})
