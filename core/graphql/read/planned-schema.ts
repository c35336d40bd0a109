// A role's schema, as planning and introspection need it.

import type { GraphQLObjectType } from 'graphql'
import type { GraphQLOperation } from './document.ts'
import type { SchemaScope } from './schema-scope.ts'
import type { FieldSource } from './selection.ts'

export interface PlannedSchema extends SchemaScope {
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  root(kind: GraphQLOperation['kind']): PlannedRoot
  /** Whether there is a union of that name, and the object type is a member of it. */
  unionHas(union: string, member: string): boolean
  /** The name of two of the types that were made, if there are such. */
  ambiguousTypeName(): string | null
}

/** A root type. */
export interface PlannedRoot extends FieldSource {
  /** Whether it has no fields. */
  readonly isEmpty: boolean
  objectType(): GraphQLObjectType
}
