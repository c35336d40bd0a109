// Operations that create, update, and delete remote relationships.

import { badRequest, type Dialect, nameKey, nameText, type QualifiedName } from '../../sdk/index.ts'
import { type MetadataDocument, type Model, operation } from '../../sdk/metadata.ts'
import { requireTable } from '../tables/index.ts'
import { remoteRelationshipRef } from './metadata.ts'
import { DeleteRemoteRelationshipArgs, entryOf, remoteRelationshipArgs } from './schema.ts'

interface Place {
  readonly metadata: MetadataDocument
  readonly model: Model
}

/** The entry of a remote relationship; throws if there is no such relationship. */
function requireRemoteRelationship({ metadata, model }: Place, table: QualifiedName, name: string) {
  const { remote_relationships: entries = [] } = requireTable(metadata, table)
  const entry = entries.find((each) => each.name === name)
  if (entry) return entry
  if (isMember(model, table, name)) throw badRequest('unexpected-payload', 'expecting a remote relationship')
  throw badRequest('not-exists', `"${name}" does not exist`)
}

function isMember(model: Model, table: QualifiedName, name: string): boolean {
  const resolved = model.tables.get(nameKey(table))
  return resolved !== undefined && (resolved.columns.has(name) || resolved.fields.has(name))
}

/** Whether a member other than a column has that name; resolving reports clashes with columns. */
function isTaken({ model, metadata }: Place, table: QualifiedName, name: string): boolean {
  const field = model.tables.get(nameKey(table))?.fields.get(name)
  const { remote_relationships: entries = [] } = requireTable(metadata, table)
  return entries.some((each) => each.name === name) || (field !== undefined && field.kind !== 'column')
}

export const createRemoteRelationship = (dialect: Dialect) =>
  operation({
    type: 'create_remote_relationship',
    about: { summary: 'Joins the rows of a table to a field of a remote schema.' },
    args: remoteRelationshipArgs(dialect),
    check: 'object',
    object: ({ table, name }) => remoteRelationshipRef(table, name),
    handle({ metadata, model }, args) {
      const { table, name } = args
      const entry = requireTable(metadata, table)
      if (isTaken({ metadata, model }, table, name)) {
        throw badRequest('already-exists', `field with name "${name}" already exists in table "${nameText(table)}"`)
      }
      entry.remote_relationships = [...(entry.remote_relationships ?? []), entryOf(args)]
    },
  })

export const updateRemoteRelationship = (dialect: Dialect) =>
  operation({
    type: 'update_remote_relationship',
    about: { summary: 'Changes the remote field of a remote relationship.' },
    args: remoteRelationshipArgs(dialect),
    check: 'object',
    object: ({ table, name }) => remoteRelationshipRef(table, name),
    handle(context, args) {
      const entry = requireRemoteRelationship(context, args.table, args.name)
      entry.definition = entryOf(args).definition
    },
  })

export const deleteRemoteRelationship = operation({
  type: 'delete_remote_relationship',
  about: { summary: 'Removes a remote relationship.' },
  args: DeleteRemoteRelationshipArgs,
  check: 'new',
  handle(context, { table, name }) {
    requireRemoteRelationship(context, table, name)
    context.remove(remoteRelationshipRef(table, name))
  },
})
