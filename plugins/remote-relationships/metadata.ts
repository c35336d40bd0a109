// The facet `remote_relationships` of a table: members of its rows that a remote server gives.

import { badRequest, type Dialect, nameText, type QualifiedName, sameName, TrellisError } from '../../sdk/index.ts'
import type { Facet, ObjectRef, Rename, ResolveContext, TableModel } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { scalarName } from '../../sdk/sql.ts'
import { remoteSchemaRef } from '../remote-schemas/index.ts'
import { checkedSteps, columnsOf, type JoinedMembers, type RemoteStep } from './check.ts'
import {
  columnOf,
  type RemoteField,
  type RemoteRelationshipEntry,
  remoteRelationshipEntry,
  writtenEntry,
} from './schema.ts'

/** How rows or objects are joined to a field of a remote server. */
export interface RemoteJoin {
  readonly name: string
  readonly remoteSchema: string
  /** Columns of the row, or fields of the object, that arguments are made of. */
  readonly columns: readonly string[]
  /** The last one is the joined field. */
  readonly steps: readonly RemoteStep[]
}

/** A member of a table's rows that a remote server gives. */
export interface RemoteRelationshipModel extends RemoteJoin {
  readonly kind: 'remote_relationship'
}

declare module '../../sdk/registry.ts' {
  interface FieldKinds {
    remote_relationship: RemoteRelationshipModel
  }
}

/** A remote relationship as dependencies and inconsistencies name it. */
export const remoteRelationshipRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'remote relationship',
  table,
  name,
})

type RemoteRelationshipFacet = Facet<RemoteRelationshipEntry, RemoteRelationshipModel> & {
  readonly key: 'remote_relationships'
}

export const remoteRelationships = (dialect: Dialect): RemoteRelationshipFacet => ({
  key: 'remote_relationships',
  stage: 'fields',
  after: ['remote_schemas'],
  schema: remoteRelationshipEntry(dialect),
  duplicates: { kind: 'remote relationships', name: ({ name }) => name },
  identify: ({ name }) => name,
  describe(table, entry) {
    const { name, definition } = writtenEntry(entry, dialect)
    return {
      ref: remoteRelationshipRef(table, name),
      type: 'remote_relationship',
      definition: { table, name, ...definition },
    }
  },
  write: (entry) => writtenEntry(entry, dialect),
  resolve: resolveRemoteRelationship,
  attach(table, name, relationship) {
    table.fields.set(name, relationship)
  },
  rename: (entry, rename, { table }) => renamed(entry, rename, table),
})

function resolveRemoteRelationship(
  { name, definition }: RemoteRelationshipEntry,
  table: TableModel,
  context: ResolveContext,
): RemoteRelationshipModel {
  const { remote_schema: remoteSchema, service_fields: given } = definition
  // The missing space is part of the message that clients know.
  const where = `in table "${nameText(table.name)}": in remote relationship"${name}"`
  const join = located(where, () => resolveJoin({ name, definition }, membersOf(table), context))
  for (const column of given) context.depend({ kind: 'column', table: table.name, name: column }, 'remote_relationship')
  context.depend(remoteSchemaRef(remoteSchema), 'remote_schema')
  return { kind: 'remote_relationship', ...join }
}

/** The join of an entry that starts from these members; throws what is wrong with it. */
export function resolveJoin(
  { name, definition }: RemoteRelationshipEntry,
  members: JoinedMembers,
  context: Pick<ResolveContext, 'resolved'>,
): RemoteJoin {
  const steps = checkedSteps(definition, members, context.resolved('remote_schemas') ?? new Map())
  const columns = [...new Set(steps.flatMap((step) => columnsOf(step.arguments)))]
  return { name, remoteSchema: definition.remote_schema, columns, steps }
}

/** What the work gives; its refusals are told with where it was. */
export function located<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    throw badRequest(error.code, `${where}: ${error.message}`)
  }
}

const membersOf = ({ name, columns }: TableModel): JoinedMembers => ({
  text: `table "${nameText(name)}"`,
  types: new Map(
    [...columns].map(([column, { type, enumTable }]) => {
      return [column, { name: scalarName(type) ?? type.name, isEnum: Boolean(enumTable), depth: 0 }]
    }),
  ),
})

/** An entry of `table` with the new name of a column in place of the old one. */
function renamed(entry: RemoteRelationshipEntry, rename: Rename, table: QualifiedName): RemoteRelationshipEntry {
  if (rename.kind !== 'column' || !sameName(rename.table, table)) return entry
  const { service_fields: columns, remote_field: field, ...rest } = entry.definition
  const inValue = (value: unknown): unknown => {
    if (columnOf(value) === rename.from) return `$${rename.to}`
    if (Array.isArray(value)) return value.map(inValue)
    return isJsonObject(value) ? inMembers(value) : value
  }
  const inMembers = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, inValue(value)]))
  const inField = (given: RemoteField): RemoteField =>
    Object.fromEntries(
      Object.entries(given).map(([name, { arguments: args, field: next }]) => {
        return [name, { arguments: inMembers(args), ...(next && { field: inField(next) }) }]
      }),
    )
  const service_fields = columns.map((column) => (column === rename.from ? rename.to : column)).sort()
  return { ...entry, definition: { ...rest, service_fields, remote_field: inField(field) } }
}
