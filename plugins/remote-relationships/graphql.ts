// Remote relationships as fields of rows, for roles that see the joined fields.

import {
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql'
import type { Contribution, FieldMap, ResolvedRowPlanner, SchemaScope } from '../../sdk/graphql.ts'
import { isGraphQLName } from '../../sdk/index.ts'
import type { TableModel } from '../../sdk/metadata.ts'
import { type RemoteSchemaModel, type RemoteServers, type RemoteView, RoleTypes } from '../remote-schemas/index.ts'
import { remainingInput } from './arguments.ts'
import { joinPlan, type RemoteWay } from './join.ts'
import type { RemoteJoin } from './metadata.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** Contribution: a field for each remote relationship whose joined field the role sees. */
export const remoteRelationshipContribution = (servers: RemoteServers): Contribution => ({
  name: 'remote-relationships',
  schemas: ['standard'],
  rowFields: (scope, table) => rowFields(scope, table, servers),
})

function rowFields(scope: SchemaScope, table: TableModel, servers: RemoteServers): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const relationship of table.fields.values()) {
    if (relationship.kind !== 'remote_relationship' || !isGraphQLName(relationship.name)) continue
    const joined = joinedField({ scope, relationship, servers, owner: `${table.name.schema}_${table.name.name}` })
    if (!joined) continue
    fields.set(relationship.name, () => {
      const { planner, ...field } = joined()
      return { ...field, extensions: { row: planner } }
    })
  }
  return fields
}

/** The fields on the path; null if the role does not see one of them, or its type. */
function visibleWay({ steps }: RemoteJoin, view: RemoteView): RemoteWay[] | null {
  const way: RemoteWay[] = []
  let parent: GraphQLObjectType | null = view.root('query')
  for (const { field: name, arguments: given } of steps) {
    const field = parent && view.fields(parent).find((each) => each.name === name)
    if (!parent || !field) return null
    const next = getNamedType(field.type)
    if (!view.sees(next)) return null
    way.push({ parent, field, arguments: given })
    parent = next as GraphQLObjectType
  }
  return way
}

/** A relationship in a role's schema. */
export interface Joined {
  readonly scope: SchemaScope
  readonly relationship: RemoteJoin
  readonly servers: RemoteServers
  /** The owner's name, for the names of new types. */
  readonly owner: string
}

/** A field of a schema, with its planner. */
export interface JoinedField extends Pick<Field, 'type' | 'description' | 'args'> {
  readonly planner: ResolvedRowPlanner
}

/** Makes the field of a relationship; null if the role does not see the joined field. */
export function joinedField(joined: Joined): (() => JoinedField) | null {
  const { scope, relationship, servers } = joined
  const remote = scope.model.slices.remote_schemas?.get(relationship.remoteSchema)
  const view = remote && servers.viewOf(remote, scope)
  const way = view && visibleWay(relationship, view)
  return way ? () => makeField(joined, { remote, view, way }) : null
}

interface Joint {
  readonly remote: RemoteSchemaModel
  readonly view: RemoteView
  readonly way: readonly RemoteWay[]
}

function makeField({ scope, relationship, servers, owner }: Joined, { remote, view, way }: Joint): JoinedField {
  const types = new RoleTypes(scope, view)
  const leaf = way.at(-1)!
  const suffix = `_remote_rel_${owner}${relationship.name}`
  const args = view.arguments(leaf.parent, leaf.field).flatMap((argument): [string, GraphQLInputFieldConfig][] => {
    const left = remainingInput(argument, leaf.arguments[argument.name], { scope, types, view, suffix })
    return left ? [[argument.name, left]] : []
  })
  const { description } = types.field(leaf.parent, leaf.field)
  const planner: ResolvedRowPlanner = {
    kind: 'resolved',
    membersBy: 'response name',
    partial: servers.isPartial,
    needs: relationship.columns.filter((name) => relationship.values.every(({ column }) => column !== name)),
    needsValues: relationship.values,
    group: servers.groupOf(remote),
    plan: (field, context) => joinPlan(field, { relationship, view, way, skipsNulls: servers.skipsNulls }, context),
  }
  return {
    type: joinedType(types, way),
    ...(description != null && { description }),
    args: Object.fromEntries(args),
    planner,
  }
}

/** The type of the last field, within a list for each list on the path. It is nullable, since a row may lack a key. */
function joinedType(types: RoleTypes, way: readonly RemoteWay[]): GraphQLOutputType {
  const leaf = types.output(way.at(-1)!.field.type)
  const lists = way.slice(0, -1).reduce((count, { field }) => count + depthOf(field.type), 0)
  let type = getNullableType(leaf) as GraphQLOutputType
  for (let i = 0; i < lists; i++) type = new GraphQLList(i === 0 ? leaf : type)
  return type
}

/** The number of lists around the named type. */
export function depthOf(type: GraphQLOutputType): number {
  const nullable = getNullableType(type)
  return isListType(nullable) ? 1 + depthOf(nullable.ofType) : 0
}
