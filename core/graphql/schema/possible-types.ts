// The object types of an interface or union, and the object type of a value.

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
import { implementationsIn } from './whole-schema.ts'

/** The object types of an interface or union. An interface that does not declare them needs the role's whole schema. */
function possibleTypes(type: GraphQLAbstractType, role: PlannedSchema): readonly GraphQLObjectType[] {
  if (isUnionType(type)) return type.getTypes()
  return type.extensions.possibleTypes?.() ?? implementationsIn(role, type)
}

/** The possible object types of a type's values; empty for scalars and enums. */
export function objectTypesOf(type: GraphQLNamedType | null, role: PlannedSchema): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  return isAbstractType(type) ? possibleTypes(type, role) : []
}

/** The object type of a value: by the type's own resolver, or else by its `__typename`; null if both fail. */
export function typeOfValue(
  value: Readonly<Record<string, unknown>>,
  type: GraphQLAbstractType,
  role: PlannedSchema,
): GraphQLObjectType | null {
  // There is no execution of graphql-js whose info could be passed.
  const found = type.resolveType?.(value, undefined, {} as GraphQLResolveInfo, type)
  const name = found ?? (Object.hasOwn(value, '__typename') ? value.__typename : undefined)
  return possibleTypes(type, role).find((each) => each.name === name) ?? null
}
