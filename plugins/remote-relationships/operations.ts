// Operations that create, update, and delete remote relationships.

import { badRequest, type Dialect, nameKey, nameText, type QualifiedName } from '../../sdk/index.ts'
import { dependenciesOn, type MetadataDocument, type Model, objectKey, operation } from '../../sdk/metadata.ts'
import { releaseDependents, requireTable } from '../tables/index.ts'
import { entryRef } from './metadata.ts'
import {
  DeleteRemoteRelationshipArgs,
  type RemoteRelationshipArgs,
  remoteRelationshipArgs,
  type TableRelationshipEntry,
} from './schema.ts'
import { inOneSource, leadsToTable } from './to-table.ts'

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

const storedEntry = (
  metadata: MetadataDocument,
  { name, definition }: RemoteRelationshipArgs,
): TableRelationshipEntry => ({
  name,
  definition: leadsToTable(definition) ? inOneSource(metadata, definition) : definition,
})

export const createRemoteRelationship = (dialect: Dialect) =>
  operation({
    type: 'create_remote_relationship',
    about: { summary: 'Joins the rows of a table to a field of a remote schema, or to rows of a table.' },
    args: remoteRelationshipArgs(dialect),
    check: 'object',
    object: ({ table, ...entry }) => entryRef(table, entry),
    handle({ metadata, model }, args) {
      const { table, name } = args
      const entry = requireTable(metadata, table)
      if (isTaken({ metadata, model }, table, name)) {
        throw badRequest('already-exists', `field with name "${name}" already exists in table "${nameText(table)}"`)
      }
      entry.remote_relationships = [...(entry.remote_relationships ?? []), storedEntry(metadata, args)]
    },
  })

export const updateRemoteRelationship = (dialect: Dialect) =>
  operation({
    type: 'update_remote_relationship',
    about: { summary: 'Changes the target of a remote relationship.' },
    args: remoteRelationshipArgs(dialect),
    check: 'object',
    object: ({ table, ...entry }) => entryRef(table, entry),
    handle(context, args) {
      const entry = requireRemoteRelationship(context, args.table, args.name)
      entry.definition = storedEntry(context.metadata, args).definition
    },
  })

export const deleteRemoteRelationship = operation({
  type: 'delete_remote_relationship',
  about: { summary: 'Removes a remote relationship.' },
  args: DeleteRemoteRelationshipArgs,
  check: 'new',
  handle(context, { table, name }) {
    const { definition } = requireRemoteRelationship(context, table, name)
    const ref = entryRef(table, { name, definition })
    const key = objectKey(ref)
    // Permissions may follow a relationship to rows.
    const dependents = dependenciesOn(context.model, table).filter(({ on }) => objectKey(on) === key)
    releaseDependents(dependents, false, context)
    context.remove(ref)
  },
})
