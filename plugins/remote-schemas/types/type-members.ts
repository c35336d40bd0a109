// Fields that relationships add to remote types. The server is asked for the fields that they need, under names that no
// client may use.

import type { GraphQLFieldConfig } from 'graphql'
import type { MemberPlanner, SchemaScope } from '../../../sdk/graphql.ts'

/** A field of a remote type that the server does not answer. */
export interface TypeMember {
  readonly name: string
  /** The fields of the type that its value depends on, by local names; a role that misses one does not see the field. */
  readonly needs: readonly string[]
  /** The fields that it adds to the type, each with a planner `member`; empty if the role sees none of them. */
  fields(scope: SchemaScope): ReadonlyMap<string, () => GraphQLFieldConfig<unknown, unknown>>
}

/** The name under which an object has a needed field; different fields never share one. */
export const neededName = (localType: string, localField: string): string => `${prefixOf(localType)}${localField}`

const prefixOf = (localType: string): string => `__${localType.length}_${localType}_`

/** The local names of the fields that a planner needs, for a type. */
export function neededFields(planner: MemberPlanner, localType: string): string[] {
  const names = planner.kind === 'relational' ? Object.keys(planner.needs) : planner.needs
  return names.map((name) => name.slice(prefixOf(localType).length))
}
