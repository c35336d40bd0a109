// The declared types of variables.

import { type GraphQLInputType, isListType, isNonNullType, Kind, type TypeNode } from 'graphql'

/**
 * Whether a variable of a type is allowed in a place: GraphQL June 2018, 5.8.5, without coercion between types.
 * `hasDefault`: the variable or the place has a default other than null.
 */
export function variableFits(declared: TypeNode, location: GraphQLInputType, hasDefault: boolean): boolean {
  if (isNonNullType(location)) {
    if (declared.kind === Kind.NON_NULL_TYPE) return variableFits(declared.type, location.ofType, false)
    return hasDefault && variableFits(declared, location.ofType, false)
  }
  if (declared.kind === Kind.NON_NULL_TYPE) return variableFits(declared.type, location, false)
  if (isListType(location))
    return declared.kind === Kind.LIST_TYPE && variableFits(declared.type, location.ofType, false)
  return declared.kind === Kind.NAMED_TYPE && declared.name.value === location.name
}

/** The type as the document prints it. */
export function printTypeNode(node: TypeNode): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${printTypeNode(node.type)}!`
  return node.kind === Kind.LIST_TYPE ? `[${printTypeNode(node.type)}]` : node.name.value
}
