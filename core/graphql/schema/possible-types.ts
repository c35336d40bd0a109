// Which object types an interface or union stands for, and which of them a value has.

import {
  type GraphQLAbstractType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  isAbstractType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { wholeSchema } from './introspection.ts'

/** The object types of an interface or union. An interface that does not say costs a look at the role's whole schema. */
function possibleTypes(type: GraphQLAbstractType, role: PlannedSchema): readonly GraphQLObjectType[] {
  if (isUnionType(type)) return type.getTypes()
  return type.extensions.possibleTypes?.() ?? wholeSchema(role).getPossibleTypes(type)
}

/** The object types that values of a type have; none for leaves. */
export function objectTypesOf(type: GraphQLNamedType | null, role: PlannedSchema): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  return isAbstractType(type) ? possibleTypes(type, role) : []
}

/** The object type of a value; what the type tells comes before its `__typename`; null when neither does. */
export function typeOfValue(
  value: Readonly<Record<string, unknown>>,
  type: GraphQLAbstractType,
  role: PlannedSchema,
): GraphQLObjectType | null {
  // There is no execution of graphql-js that it could be told of.
  const found = type.resolveType?.(value, undefined, {} as GraphQLResolveInfo, type)
  const name = found ?? (Object.hasOwn(value, '__typename') ? value.__typename : undefined)
  return possibleTypes(type, role).find((each) => each.name === name) ?? null
}
