// The object types of connections, and the interface of types with a node id.

import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { type SchemaScope, tableObject } from '../../../sdk/graphql.ts'
import { nameText } from '../../../sdk/index.ts'
import type { TableModel } from '../../../sdk/metadata.ts'
import { rowType, selectArguments } from '../../tables/graphql.ts'

/** `id: ID!`, of the interface and of the types that implement it. */
export const idField = (): GraphQLFieldConfig<unknown, unknown> => ({
  type: new GraphQLNonNull(GraphQLID),
  description: 'A globally unique identifier',
})

/** `interface Node`. */
export const nodeInterface = (scope: SchemaScope): GraphQLInterfaceType =>
  scope.type('Node', () => {
    const description = 'An object with globally unique ID'
    return new GraphQLInterfaceType({ name: 'Node', description, fields: { id: idField() } })
  })

/** `TConnection`. */
export const connectionType = tableObject({
  name: (table) => `${table.graphqlName}Connection`,
  description: ({ name }) => `A Relay connection object on "${nameText(name)}"`,
  fields: (table, scope) => ({
    edges: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edgeType(scope, table)))) },
    pageInfo: { type: new GraphQLNonNull(pageInfoType(scope)) },
  }),
})

const edgeType = tableObject({
  name: (table) => `${table.graphqlName}Edge`,
  fields: (table, scope) => ({
    cursor: { type: new GraphQLNonNull(GraphQLString) },
    node: { type: new GraphQLNonNull(rowType(scope, table)) },
  }),
})

const pageInfoType = (scope: SchemaScope): GraphQLObjectType =>
  scope.type('PageInfo', () => {
    const boolean = { type: new GraphQLNonNull(GraphQLBoolean) }
    const string = { type: new GraphQLNonNull(GraphQLString) }
    const fields = { endCursor: string, hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string }
    return new GraphQLObjectType({ name: 'PageInfo', fields })
  })

/** The arguments of a connection: those of a select with a page by cursor instead of by number. */
export function connectionArguments(scope: SchemaScope, table: TableModel): GraphQLFieldConfigArgumentMap {
  const { limit: _limit, offset: _offset, ...rest } = selectArguments(scope, table)
  return {
    ...rest,
    after: { type: GraphQLString },
    before: { type: GraphQLString },
    first: { type: GraphQLInt },
    last: { type: GraphQLInt },
  }
}
