// A role's schema, as planning and introspection need it.

import type { GraphQLObjectType } from 'graphql'
import type { GraphQLOperation } from './document.ts'
import type { ChangeGuard, GuardedChange } from './guard.ts'
import type { LeanField } from './lean-members.ts'
import type { SchemaScope } from './schema-scope.ts'
import type { FieldSource } from './selection.ts'

/** A role's schema as planners use it. */
export interface PlannedSchema extends SchemaScope {
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  root(kind: GraphQLOperation['kind']): PlannedRoot
  /** Whether a union of this name exists and contains the object type. */
  unionHas(union: string, member: string): boolean
  /** The work of plugins before a root field changes tables. */
  guardsOf(change: GuardedChange): readonly ChangeGuard[]
  /** The name that two of the created types share, if any. */
  ambiguousTypeName(): string | null
  /** Whether types of other servers may have the names of row types, which introspection then shows as one. */
  readonly mayRepeatRows: boolean
  /** The same schema with types of its own, which are not kept after an introspection. */
  anew(): PlannedSchema
}

/** A root type. */
export interface PlannedRoot extends FieldSource {
  /** Whether the role's schema is without it, since it would have no fields. */
  readonly isAbsent: boolean
  /** The names of all fields. */
  fieldNames(): Iterable<string>
  /** Fields by name, for introspection: these are not kept. */
  fieldsAnew(names: readonly string[]): readonly LeanField[]
  /** The type, which creates all its fields at once on first use. */
  objectType(): GraphQLObjectType
}
