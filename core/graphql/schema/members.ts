// The fields or values of any type, as introspection reads them.

import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
} from 'graphql'
import { LeanField, LeanInput, LeanList, type LeanValue } from '../read/lean-members.ts'
import { leanMembers } from '../read/table-types.ts'

/** A field or value of a type. */
export type Member =
  | GraphQLField<unknown, unknown>
  | GraphQLInputField
  | GraphQLEnumValue
  | LeanField
  | LeanInput
  | LeanValue

/** The members of a type. */
export type Members = LeanList<Member>

export const noMembers: Members = new LeanList<Member>([], false)

/** The fields or values of a type, in their own order. */
export function membersOf(type: GraphQLNamedType): Members {
  const lean = leanMembers(type)
  if (lean) return lean
  const members = isEnumType(type) ? type.getValues() : 'getFields' in type ? Object.values(type.getFields()) : []
  return new LeanList<Member>(members, false)
}

/** The number of a type, its members, and their arguments. */
export function partsOf({ members }: Members): number {
  let parts = 1 + members.length
  for (const member of members) {
    if (member instanceof LeanField) parts += member.list.members.length
    else if (!(member instanceof LeanInput) && 'args' in member) parts += member.args.length
  }
  return parts
}
