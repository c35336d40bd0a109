// Creating, renaming and dropping relationships.

import { badRequest, nameKey, nameText, type QualifiedName, type TSchema } from '../../sdk/index.ts'
import {
  dependenciesOn,
  type MetadataDocument,
  type Model,
  type Operation,
  objectKey,
  operation,
  type TableEntry,
} from '../../sdk/metadata.ts'
import { releaseDependents, requireTable } from '../tables/index.ts'
import { requireTableKey } from '../tables/schema.ts'
import { describeRelationship, relationshipRef } from './metadata.ts'
import {
  createRelationshipArgs,
  DropRelationshipArgs,
  type RelationshipEntry,
  type RelationshipType,
  RenameRelationshipArgs,
  SetRelationshipCommentArgs,
  type Using,
} from './schema.ts'

/** The relationships of a type, a list to edit; made when the entry has none. */
export function relationshipsOf<T extends RelationshipType>(entry: TableEntry, type: T): RelationshipEntry<T>[] {
  const lists: { [key in `${RelationshipType}_relationships`]?: unknown } = entry
  lists[`${type}_relationships`] ??= []
  return lists[`${type}_relationships`] as RelationshipEntry<T>[]
}

function findRelationship(entry: TableEntry, name: string): RelationshipEntry | undefined {
  const all: readonly RelationshipEntry[] = [
    ...(entry.object_relationships ?? []),
    ...(entry.array_relationships ?? []),
  ]
  return all.find((relationship) => relationship.name === name)
}

/** The kind of a member of a table's rows where a relationship was expected, in messages; null without a member. */
function otherKind(model: Model, table: QualifiedName, name: string): string | null {
  const resolved = model.tables.get(nameKey(table))
  if (resolved?.columns.has(name)) return 'postgres column'
  const field = resolved?.fields.get(name)
  return field && field.kind !== 'column' ? field.kind.replaceAll('_', ' ') : null
}

/** The relationship that an operation is about. */
function requireRelationship(
  { metadata, model }: { readonly metadata: MetadataDocument; readonly model: Model },
  table: QualifiedName,
  name: string,
): RelationshipEntry {
  const found = findRelationship(requireTable(metadata, table), name)
  if (found) return found
  const kind = otherKind(model, table, name)
  if (kind === null) throw badRequest('not-exists', `relationship "${name}" does not exist`)
  // Another plugin keeps it.
  const named = kind === 'relationship' ? 'remote relationship' : kind
  throw badRequest('unexpected-payload', `expecting a relationship; but, "${name}" is a ${named}; `)
}

/** The reason if a manual configuration compares a member that is not a column; null if resolving finds whether columns exist. */
function otherFieldReason(model: Model, table: QualifiedName, { manual_configuration: manual }: Using): string | null {
  if (!manual) return null
  const { remote_table: target, column_mapping } = manual
  const named = Object.entries(column_mapping).flatMap(([left, right]) => [
    [table, left] as const,
    [target, right] as const,
  ])
  const other = named.find(([owner, name]) => {
    const kind = otherKind(model, owner, name)
    return kind !== null && kind !== 'postgres column'
  })
  if (!other) return null
  const [owner, name] = other
  // The missing space is part of the message that clients know.
  return `field "${name}"of table "${nameText(owner)}" is not a column`
}

/** Refuses to compare a name that is not a column; resolving finds names that do not exist. */
function refuseOtherFields(type: RelationshipType, model: Model, table: QualifiedName, entry: RelationshipEntry): void {
  const reason = otherFieldReason(model, table, entry.using)
  if (reason === null) return
  const { type: listedAs, definition } = describeRelationship(type, table, entry)
  throw badRequest('constraint-violation', reason, { internal: [{ type: listedAs, definition, reason }] })
}

const descriptions: Readonly<Record<RelationshipType, string>> = {
  object: 'Adds a field to the rows of a table: the one row of another that belongs to each.',
  array: 'Adds a field to the rows of a table: the rows of another that belong to each.',
}

function createRelationship<T extends RelationshipType>(type: T) {
  return operation({
    type: `create_${type}_relationship`,
    about: { summary: descriptions[type] },
    args: createRelationshipArgs(type),
    decode: requireTableKey,
    group: 'create relationships',
    check: 'object',
    object: ({ table, name }) => relationshipRef(table, name),
    handle({ metadata, model }, { table, ...relationship }) {
      const { name } = relationship
      const entry = requireTable(metadata, table)
      const kind = findRelationship(entry, name) ? 'relationship' : otherKind(model, table, name)
      if (kind !== null && kind !== 'postgres column') {
        throw badRequest('already-exists', `field with name "${name}" already exists in table "${nameText(table)}"`)
      }
      refuseOtherFields(type, model, table, relationship)
      relationshipsOf(entry, type).push(relationship)
    },
  })
}

export const dropRelationship = operation({
  type: 'drop_relationship',
  about: { summary: 'Drops a relationship.' },
  args: DropRelationshipArgs,
  decode: requireTableKey,
  check: 'new',
  handle(context, { table, relationship, cascade = false }) {
    requireRelationship(context, table, relationship)
    const { model, remove } = context
    const ref = relationshipRef(table, relationship)
    const key = objectKey(ref)
    const dependents = dependenciesOn(model, table).filter(({ on }) => objectKey(on) === key)
    releaseDependents(dependents, cascade, context)
    remove(ref)
  },
})

export const renameRelationship = operation({
  type: 'rename_relationship',
  about: { summary: 'Renames a relationship, wherever the metadata names it.' },
  args: RenameRelationshipArgs,
  decode: requireTableKey,
  check: 'new',
  handle(context, { table, name, new_name: newName }) {
    requireRelationship(context, table, name)
    const { metadata, model, rename } = context
    const taken = findRelationship(requireTable(metadata, table), newName) ?? otherKind(model, table, newName)
    if (taken) {
      const what = `cannot rename relationship "${name}" to "${newName}" in table "${nameText(table)}"`
      throw badRequest('already-exists', `${what} as a column/relationship with the name already exists`)
    }
    rename({ kind: 'relationship', table, from: name, to: newName })
  },
})

export const setRelationshipComment = operation({
  type: 'set_relationship_comment',
  about: { summary: 'Sets or clears the comment of a relationship.' },
  args: SetRelationshipCommentArgs,
  decode: requireTableKey,
  group: 'set comments',
  handle(context, { table, relationship: name, comment }) {
    const relationship = requireRelationship(context, table, name)
    if (comment === undefined) delete relationship.comment
    else relationship.comment = comment
  },
})

export const createRelationships: readonly Operation<TSchema>[] = [
  createRelationship('object'),
  createRelationship('array'),
]
