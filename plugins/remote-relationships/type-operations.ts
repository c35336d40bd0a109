// Operations that create, update, and delete relationships from remote types.

import { badRequest, type Dialect } from '../../sdk/index.ts'
import { type MetadataDocument, operation } from '../../sdk/metadata.ts'
import {
  requireRemoteSchema,
  type TypeRelationshipPlace,
  typeRelationshipRef,
  withRelationship,
} from '../remote-schemas/index.ts'
import { inOneSource, leadsToTable } from './to-table.ts'
import { DeleteTypeRelationshipArgs, type TypeRelationshipArgs, typeRelationshipArgs } from './type-definitions.ts'

type Names = Pick<TypeRelationshipArgs, 'remote_schema' | 'type_name' | 'name'>

const placeOf = ({ remote_schema, type_name }: Names): TypeRelationshipPlace => ({
  remoteSchema: remote_schema,
  typeName: type_name,
})

const refOf = (names: Names) => typeRelationshipRef(placeOf(names), names.name)

const text = ({ remote_schema, type_name, name }: Names): string =>
  `remote relationship "${name}" of type "${type_name}" in remote schema "${remote_schema}"`

/** Whether the relationship exists; throws if there is no such remote schema. */
function exists(metadata: MetadataDocument, { remote_schema, type_name, name }: Names): boolean {
  const { remote_relationships: all = [] } = requireRemoteSchema(metadata, remote_schema)
  return all.some((each) => each.type_name === type_name && each.relationships.some((one) => one.name === name))
}

function requireExisting(metadata: MetadataDocument, names: Names): void {
  if (!exists(metadata, names)) throw badRequest('not-exists', `${text(names)} does not exist`)
}

/** Stores a relationship. */
function store(metadata: MetadataDocument, { remote_schema, type_name, name, definition }: TypeRelationshipArgs): void {
  const entry = requireRemoteSchema(metadata, remote_schema)
  const stored = { name, definition: leadsToTable(definition) ? inOneSource(metadata, definition) : definition }
  entry.remote_relationships = withRelationship(entry.remote_relationships ?? [], type_name, stored)
}

export const createTypeRelationship = (dialect: Dialect) =>
  operation({
    type: 'create_remote_schema_remote_relationship',
    about: { summary: 'Joins the objects of a remote schema to rows of a table, or to a field of a remote schema.' },
    args: typeRelationshipArgs(dialect),
    check: 'object',
    object: refOf,
    handle({ metadata }, args) {
      if (exists(metadata, args)) throw badRequest('already-exists', `${text(args)} already exists`)
      store(metadata, args)
    },
  })

export const updateTypeRelationship = (dialect: Dialect) =>
  operation({
    type: 'update_remote_schema_remote_relationship',
    about: { summary: 'Changes the target of a remote relationship of a remote schema.' },
    args: typeRelationshipArgs(dialect),
    check: 'object',
    object: refOf,
    handle({ metadata }, args) {
      requireExisting(metadata, args)
      store(metadata, args)
    },
  })

export const deleteTypeRelationship = operation({
  type: 'delete_remote_schema_remote_relationship',
  about: { summary: 'Removes a remote relationship of a remote schema.' },
  args: DeleteTypeRelationshipArgs,
  check: 'new',
  handle({ metadata, remove }, names) {
    requireExisting(metadata, names)
    remove(refOf(names))
  },
})
