// Operations that add, change, remove, reload, and introspect remote schemas.

import { badRequest, Type } from '../../sdk/index.ts'
import { type MetadataDocument, objectKey, operation } from '../../sdk/metadata.ts'
import { releaseDependents } from '../tables/index.ts'
import { findRemoteSchema, remoteSchemaRef } from './metadata.ts'
import { type RemoteSchemaEntry, RemoteSchemaName, remoteSchemaArgs, type Shaping } from './schema.ts'
import type { ServerKinds } from './servers/kinds.ts'
import { sourceKey } from './types/introspect.ts'

/** The source of an entry, as a list; empty if its introspection is not fetched. */
function sourcesOf({ name, definition }: RemoteSchemaEntry, kinds: ServerKinds) {
  const request = kinds.of(definition).request(definition)
  return request === null ? [] : [{ key: sourceKey, id: name, definition: request }]
}

const noSuch = () => badRequest('not-exists', 'no such remote schema')

/** The entry of that name; throws if there is no such entry. */
export function requireRemoteSchema(
  metadata: Pick<MetadataDocument, 'remote_schemas'>,
  name: string,
): RemoteSchemaEntry {
  const found = findRemoteSchema(metadata, name)
  if (!found) throw badRequest('not-exists', `remote schema with name "${name}" does not exist`)
  return found
}

/** The sentence about a server on which permissions of remote schemas do not count. */
export const readByEveryRole =
  'every role may use all of a remote schema, unless the server is started with --enable-remote-schema-permissions'

const AddedRemoteSchema = Type.Object({
  message: Type.Literal('success'),
  warnings: Type.Optional(
    Type.Array(Type.Object({ type: Type.String(), name: Type.String(), code: Type.String(), message: Type.String() })),
  ),
})

/** `isOpen`: whether permissions of remote schemas do not count, which the answer then says. */
export const addRemoteSchema = (shaping: Shaping<ServerKinds>, isOpen: boolean) =>
  operation({
    type: 'add_remote_schema',
    about: { summary: 'Adds the root fields of another GraphQL server to the schema.', result: AddedRemoteSchema },
    args: remoteSchemaArgs(shaping),
    check: 'object',
    object: ({ name }) => remoteSchemaRef(name),
    // A name that is taken is reported before an unreachable server. An earlier member of a bulk may still free the name.
    sources(entry, { metadata }) {
      const isOptional = findRemoteSchema(metadata, entry.name) !== undefined
      return sourcesOf(entry, shaping.kinds).map((source) => ({ ...source, isOptional }))
    },
    handle({ metadata }, entry) {
      if (findRemoteSchema(metadata, entry.name)) {
        throw badRequest('already-exists', `remote schema with name "${entry.name}" already exists`)
      }
      metadata.remote_schemas.push(entry)
      if (!isOpen || entry.definition.hidden || !shaping.dialect.errorsHelp) return
      const warning = { type: 'remote_schema', name: entry.name, code: 'no-permissions', message: readByEveryRole }
      return { message: 'success', warnings: [warning] }
    },
  })

export const updateRemoteSchema = (shaping: Shaping<ServerKinds>) =>
  operation({
    type: 'update_remote_schema',
    about: { summary: 'Changes the address, headers, and names of a remote schema.' },
    args: remoteSchemaArgs(shaping),
    check: 'object',
    object: ({ name }) => remoteSchemaRef(name),
    sources: (entry) => sourcesOf(entry, shaping.kinds),
    handle({ metadata }, { name, definition, comment }) {
      const entry = requireRemoteSchema(metadata, name)
      entry.definition = definition
      if (comment === undefined) delete entry.comment
      else entry.comment = comment
    },
  })

export const removeRemoteSchema = operation({
  type: 'remove_remote_schema',
  about: { summary: 'Removes a remote schema.' },
  args: RemoteSchemaName,
  check: 'new',
  handle(context, { name }) {
    const { metadata, model, remove } = context
    if (!findRemoteSchema(metadata, name)) throw noSuch()
    const ref = remoteSchemaRef(name)
    const key = objectKey(ref)
    const dependents = model.dependencies.filter(({ on }) => objectKey(on) === key)
    releaseDependents(dependents, false, context)
    remove(ref)
  },
})

export const reloadRemoteSchema = (kinds: ServerKinds) =>
  operation({
    type: 'reload_remote_schema',
    about: { summary: 'Fetches the types of a remote schema again.' },
    args: RemoteSchemaName,
    check: 'new',
    object: ({ name }) => remoteSchemaRef(name),
    sources({ name }, { metadata }) {
      const definition = findRemoteSchema(metadata, name)?.definition
      const names = (definition && kinds.of(definition).members?.(definition)) ?? [name]
      return names.map((id) => ({ key: sourceKey, id }))
    },
    handle({ metadata }, { name }) {
      requireRemoteSchema(metadata, name)
    },
  })

export const introspectRemoteSchema = operation({
  type: 'introspect_remote_schema',
  about: {
    summary: 'Returns the introspection of a remote schema, as it was received.',
    result: Type.Object({ data: Type.Object({ __schema: Type.Unknown() }) }),
  },
  args: RemoteSchemaName,
  access: 'any',
  editsMetadata: false,
  handle({ model }, { name }) {
    const remote = model.slices.remote_schemas?.get(name)
    if (!remote) throw badRequest('not-exists', `remote schema: "${name}" not found`)
    return remote.introspection
  },
})
