// The slice `remote_schemas`: other GraphQL servers, whose root fields are served beside those of the tables.

import { stripIgnoredCharacters } from 'graphql'
import { badRequest, compareText, type Dialect, TrellisError } from '../../sdk/index.ts'
import {
  type ConflictWording,
  conflictingDefinitions,
  type MetadataDocument,
  type ObjectDescription,
  type ObjectRef,
  objectKey,
  type Rename,
  type SliceContext,
  type SliceDefinition,
} from '../../sdk/metadata.ts'
import type { RemoteSchemaModel } from './model.ts'
import { documentSchema, type RemoteSchemaEntry, type RemoteSchemaPermission, type Shaping } from './schema.ts'
import type { ResolvedServer, ServerKinds } from './servers/kinds.ts'
import {
  checkRelationships,
  type RelationshipsOfTypes,
  renamedRelationships,
  resolveRelationships,
  type WrittenForm,
  withoutRelationship,
  writtenRelationships,
} from './type-relationships.ts'
import { sourceKey } from './types/introspect.ts'
import { repeatedFields } from './types/introspected-schema.ts'
import { permittedView, refused } from './types/permitted-view.ts'
import {
  localRootFields,
  namespaceType,
  type RemoteTypes,
  remoteTypes,
  rootTypeOf,
  rowDefinition,
} from './types/remote-types.ts'
import { shownOtherwise } from './types/shared-types.ts'
import { RemoteView } from './types/view.ts'

type SliceShaping = Shaping<ServerKinds, RelationshipsOfTypes>

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    /** Keys are names of remote schemas. */
    remote_schemas: ReadonlyMap<string, RemoteSchemaModel>
  }
}

export type { RemoteSchemaModel } from './model.ts'

/** The reference to a remote schema in dependencies and inconsistencies. */
export const remoteSchemaRef = (name: string): ObjectRef => ({ kind: 'remote schema', name })

const permissionRef = (name: string, role: string): ObjectRef => ({
  kind: 'remote schema permission',
  name,
  detail: role,
})

/** The reference to a permission in dependencies and inconsistencies. */
export { permissionRef as remoteSchemaPermissionRef }

const describe = ({ name, definition, comment }: RemoteSchemaEntry): ObjectDescription => ({
  ref: remoteSchemaRef(name),
  type: 'remote_schema',
  definition: { name, definition, comment: comment ?? null },
})

const describePermission = (
  name: string,
  { role, definition, comment }: RemoteSchemaPermission,
): ObjectDescription => ({
  ref: permissionRef(name, role),
  type: 'remote_schema_permission',
  definition: { remote_schema: name, role, definition, comment: comment ?? null },
  later: { name: `${role} permission in remote schema ${name}` },
})

/** The entry of that name. */
export const findRemoteSchema = (
  { remote_schemas: entries }: Pick<MetadataDocument, 'remote_schemas'>,
  name: string,
): RemoteSchemaEntry | undefined => entries.find((entry) => entry.name === name)

/** The slice `remote_schemas`. */
export const remoteSchemasSlice = (shaping: SliceShaping, hasLists: boolean): SliceDefinition<'remote_schemas'> => ({
  schema: documentSchema(shaping),
  empty: [],
  entryKey: ({ name }: RemoteSchemaEntry) => name,
  before: 'fields',
  validate: (entries, document) => checkEntries(entries, document, shaping),
  write: (entries, form) => writeEntries(entries, shaping, form),
  rename: (entry, rename) => renamedEntry(entry, rename, shaping),
  resolve: (entries, context) => resolveAll(entries, context, { ...shaping, hasLists }),
  remove: removeObject,
})

function writeEntries(
  entries: readonly RemoteSchemaEntry[],
  { relationships }: SliceShaping,
  form: WrittenForm,
): object[] | undefined {
  if (entries.length === 0) return undefined
  const sorted = [...entries].sort((a, b) => compareText(a.name, b.name))
  return sorted.map(({ remote_relationships: given, ...entry }) =>
    given ? { ...entry, remote_relationships: writtenRelationships(given, relationships, form) } : entry,
  )
}

function renamedEntry(entry: RemoteSchemaEntry, rename: Rename, { relationships }: SliceShaping): RemoteSchemaEntry {
  const { remote_relationships: given } = entry
  return given ? { ...entry, remote_relationships: renamedRelationships(given, relationships, rename) } : entry
}

function checkEntries(
  entries: readonly RemoteSchemaEntry[],
  document: MetadataDocument,
  { relationships: service }: SliceShaping,
): void {
  for (const [i, { permissions = [], remote_relationships: relationships = [] }] of entries.entries()) {
    checkRelationships(relationships, service, { document, path: [i] })
    const roles = permissions.map(({ role }) => role)
    const repeated = new Set(roles.filter((role, at) => roles.indexOf(role) !== at))
    if (repeated.size === 0) continue
    const list = [...repeated].map((role) => `"${role}"`).join(', ')
    const message = `multiple declarations exist for the following remote schema permissions : ${list}`
    throw badRequest('already-exists', message, { path: [i] })
  }
}

function removeObject(draft: MetadataDocument, object: ObjectRef): boolean {
  const key = objectKey(object)
  const { remote_schemas: entries } = draft
  const index = entries.findIndex(({ name }) => objectKey(remoteSchemaRef(name)) === key)
  if (index >= 0) {
    entries.splice(index, 1)
    return true
  }
  for (const entry of entries) {
    const { name, permissions = [], remote_relationships: relationships = [] } = entry
    const others = withoutRelationship(relationships, { remoteSchema: name, object })
    if (others !== relationships) {
      if (others.length > 0) entry.remote_relationships = others
      else delete entry.remote_relationships
      return true
    }
    const rest = permissions.filter(({ role }) => objectKey(permissionRef(name, role)) !== key)
    if (rest.length === permissions.length) continue
    if (rest.length > 0) entry.permissions = rest
    else delete entry.permissions
    return true
  }
  return false
}

function resolveAll(
  entries: readonly RemoteSchemaEntry[],
  context: SliceContext,
  { dialect, kinds, relationships: service, hasLists }: SliceShaping & Pick<Claiming, 'hasLists'>,
): ReadonlyMap<string, RemoteSchemaModel> {
  const resolved = new Map<string, RemoteSchemaModel>()
  const definitions = new Map<string, string>()
  const servers = new Servers(entries, context, kinds)
  for (const entry of entries) {
    const object = describe(entry)
    const remote = attempt(object, context, () => resolveOne(entry, servers))
    if (!remote) continue
    for (const member of remote.members) context.depend(object.ref, remoteSchemaRef(member), 'remote_schema')
    if (!remote.isHidden && !claims(remote, object, { context, definitions, hasLists })) continue
    const own = remote.isHidden ? new Map<string, string>() : remote.types.definitions
    const shared = [...own.keys()].filter((name) => definitions.has(name))
    for (const [name, definition] of own) definitions.set(name, definition)
    const permitted = new Map<string, RemoteView>()
    const permissionTexts = new Map<string, string>()
    for (const permission of entry.permissions ?? []) {
      const { role } = permission
      const view = attempt(describePermission(entry.name, permission), context, () => {
        const view = permittedView(remote.types, permission.definition.schema, dialect)
        for (const other of resolved.values()) {
          if (!other.isHidden) refuseOtherwiseShown(shared, view, { other, role })
        }
        return view
      })
      if (!view) continue
      permitted.set(role, view)
      permissionTexts.set(role, view.isWhole ? '*' : stripIgnoredCharacters(permission.definition.schema))
    }
    resolved.set(entry.name, { ...remote, permitted, permissionTexts })
  }
  if (!entries.some(({ remote_relationships: given }) => given)) return resolved
  const given = new Map(entries.map(({ name, remote_relationships = [] }) => [name, remote_relationships]))
  const typeMembers = resolveRelationships({
    ...{ service, context, remotes: resolved },
    relationshipsOf: (name) => given.get(name) ?? [],
    attempt: (object, work) => attempt(object, context, work),
  })
  return new Map([...resolved].map(([name, remote]) => [name, { ...remote, typeMembers }]))
}

/** Throws if another remote schema shows a role different members of a shared type. */
function refuseOtherwiseShown(
  types: readonly string[],
  view: RemoteView,
  { other, role }: { readonly other: RemoteSchemaModel; readonly role: string },
): void {
  const others = other.permitted.get(role)
  const type = others ? shownOtherwise(types, view, others) : null
  if (type === null) return
  throw refused([`the type "${type}" is another one in what the role sees of the remote schema "${other.name}"`])
}

/** The result of `work`; reports its refusal, and returns null then. */
function attempt<T>(object: ObjectDescription, context: SliceContext, work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    context.report(object, error.message)
    return null
  }
}

/** Resolves an entry. If the server does not answer, the stored schema is used: the entry is inconsistent, its dependents are not. */
function resolveOne({ name, definition }: RemoteSchemaEntry, servers: Servers): RemoteSchemaModel {
  const { introspection, transport, members = [] } = servers.of(name)
  const types = remoteTypes(introspection, definition.customization, servers.dialect)
  const isHidden = definition.hidden === true
  const whole = new RemoteView(types)
  return {
    name,
    transport,
    definition,
    introspection,
    types,
    whole,
    permitted: new Map(),
    permissionTexts: new Map(),
    members,
    isHidden,
    typeMembers: new Map(),
  }
}

/** The servers of all entries, each resolved once. */
class Servers {
  readonly #entries: ReadonlyMap<string, RemoteSchemaEntry>
  readonly #context: SliceContext
  readonly #kinds: ServerKinds
  readonly dialect: Dialect
  readonly #resolved = new Map<string, ResolvedServer | TrellisError>()

  constructor(entries: readonly RemoteSchemaEntry[], context: SliceContext, kinds: ServerKinds) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]))
    this.#context = context
    this.dialect = context.dialect
    this.#kinds = kinds
  }

  /** The server of an entry; throws the reason why it has none. */
  of(name: string): ResolvedServer {
    let resolved = this.#resolved.get(name)
    if (!resolved) {
      resolved = this.#resolve(name)
      this.#resolved.set(name, resolved)
    }
    if (resolved instanceof TrellisError) throw resolved
    return resolved
  }

  #resolve(name: string): ResolvedServer | TrellisError {
    const entry = this.#entries.get(name)
    if (!entry) return badRequest('not-exists', `remote schema with name "${name}" does not exist`)
    try {
      return this.#kinds.of(entry.definition).resolve(entry, {
        environment: (variable) => this.#context.environment(variable),
        source: () => this.#context.source(sourceKey, name),
        report: (reason) => this.#context.report(describe(entry), reason),
        entry: (other) => this.#entries.get(other),
        server: (other) => this.of(other),
      })
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error
      return error
    }
  }
}

interface Claiming {
  readonly context: SliceContext
  /** The definitions of types in earlier remote schemas. */
  readonly definitions: ReadonlyMap<string, string>
  /** Whether arrays of tables are lists. */
  readonly hasLists: boolean
}

/** Claims the names of a remote schema; false if one of them is taken. */
function claims(
  { types, introspection }: RemoteSchemaModel,
  object: ObjectDescription,
  { context, definitions, hasLists }: Claiming,
): boolean {
  const wording = wordingFor(object)
  const conflict = [...types.definitions].find(
    ([name, definition]) => (definitions.get(name) ?? definition) !== definition,
  )
  if (conflict) {
    context.report(object, conflictingDefinitions(conflict[0]))
    return false
  }
  const fresh = [...types.definitions.keys()].filter(
    (name) => !definitions.has(name) && !isOfRows(name, types, { context, hasLists }),
  )
  const { names } = types
  // Subscription fields are not claimed: they give way to others of the same name.
  const fields = { query: localRootFields(types, 'query'), mutation: localRootFields(types, 'mutation') }
  const kinds = (['query', 'mutation', 'subscription'] as const).filter(
    (kind) => localRootFields(types, kind).length > 0,
  )
  const namespaces = names.namespace === null ? [] : kinds.map((kind) => namespaceType(names, kind))
  const taken = namespaces.find((name) => types.definitions.has(name))
  if (taken !== undefined) {
    context.report(object, conflictingDefinitions(taken))
    return false
  }
  const claimed = {
    schemas: ['standard'] as const,
    types: [...namespaces, ...fresh.filter((name) => !types.scalars.has(name))],
    scalars: fresh.filter((name) => types.scalars.has(name)),
  }
  // A server that lists a field twice conflicts with itself.
  const again = (kind: 'query' | 'mutation') => {
    const root = rootTypeOf(types.schema, kind)
    if (!root || names.namespace !== null) return []
    return repeatedFields(introspection, root.name).map((field) => names.localField(root.name, field))
  }
  return (
    context.claimRootFields(object, fields, wording) &&
    context.claimRootFields(object, { query: again('query'), mutation: again('mutation') }, wording) &&
    context.claimTypeNames(object, claimed, wording)
  )
}

/** Whether a table's row type has the same name and definition: both are one type then, as in v1.3. */
function isOfRows(
  name: string,
  { definitions }: RemoteTypes,
  { context, hasLists }: Pick<Claiming, 'context' | 'hasLists'>,
): boolean {
  const table = context.dialect.lenientSchema ? context.plainTable(name) : undefined
  return table !== undefined && rowDefinition(table, hasLists) === definitions.get(name)
}

const wordingFor = ({ type, definition }: ObjectDescription): ConflictWording => ({
  reason({ kind, name, isOfSlice, message }) {
    if (kind === 'type') return message
    return isOfSlice ? `Duplicate remote field '${name}'` : `Field cannot be overwritten by remote field '${name}'`
  },
  refusal(conflict, isOwn) {
    const { kind, name, isOfSlice } = conflict
    if (kind === 'type') return null
    if (isOwn && isOfSlice) {
      const internal = [{ type, definition, reason: this.reason(conflict) }]
      return badRequest('unexpected', 'cannot continue due to new inconsistent metadata', { internal })
    }
    if (isOwn || isOfSlice) return null
    return badRequest('remote-schema-conflicts', `node ${name} already exists in current graphql schema`)
  },
})
