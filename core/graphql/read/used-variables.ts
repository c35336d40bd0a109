// Variables at the places that use them: whether their types fit, and their values within the literal of a scalar, such as
// `{ a: $a }` for jsonb, where a place has no type.

import { type GraphQLInputType, isListType, isNonNullType, Kind, type TypeNode } from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import { ArrayType } from './array-type.ts'
import type { OperationInput } from './operation-input.ts'
import { standardCodecs } from './scalar-codecs.ts'

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
  if (declared.kind === Kind.NAMED_TYPE) return !isListType(location) && declared.name.value === location.name
  if (location instanceof ArrayType) return isListOf(declared.type, location.element.name)
  return isListType(location) && variableFits(declared.type, location.ofType, false)
}

/** Whether a type is a scalar, or a list of it in any number of dimensions. Arrays may have nulls anywhere. */
const isListOf = (declared: TypeNode, scalar: string): boolean =>
  declared.kind === Kind.NAMED_TYPE ? declared.name.value === scalar : isListOf(declared.type, scalar)

/** The type as the document prints it. */
export function printTypeNode(node: TypeNode): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${printTypeNode(node.type)}!`
  return node.kind === Kind.LIST_TYPE ? `[${printTypeNode(node.type)}]` : node.name.value
}

/** The value of a variable within a scalar's literal. Only the variable's own type says whether it may be null. */
export function useWithin(context: OperationInput, name: string): unknown {
  const { type, value } = context.useVariable(name, null)
  if (value !== null || type.kind !== Kind.NON_NULL_TYPE || context.acceptsNulls) return value
  if (type.type.kind === Kind.LIST_TYPE) throw validationFailed('expected a list, but found null')
  const named = type.type.name.value
  const expects = standardCodecs.get(named)?.expects
  throw validationFailed(
    expects ? `expected ${expects} for type "${named}", but found null` : `unexpected null value for type "${named}"`,
  )
}
