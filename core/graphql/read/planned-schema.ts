// A role's schema, as planning and introspection need it.

import type { GraphQLObjectType } from 'graphql'
import type { GraphQLOperation } from './document.ts'
import type { SchemaScope } from './schema-scope.ts'
import type { FieldSource } from './selection.ts'

export interface PlannedSchema extends SchemaScope {
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  root(kind: GraphQLOperation['kind']): PlannedRoot
  /** Whether a union of this name exists and contains the object type. */
  unionHas(union: string, member: string): boolean
  /** The name that two of the created types share, if any. */
  ambiguousTypeName(): string | null
}

/** A root type. */
export interface PlannedRoot extends FieldSource {
  /** Whether it has no fields. */
  readonly isEmpty: boolean
  objectType(): GraphQLObjectType
}
