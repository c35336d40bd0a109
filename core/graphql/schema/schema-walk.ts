// Visits all types of a role's schema in steps, for descriptions of the schema other than introspection.

import type { GraphQLNamedType } from 'graphql'
import type { Steps } from '../../concurrency/stepwise.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { membersAtOnce } from '../tuning.ts'
import type { Member } from './members.ts'
import { WholeSchema, type WriteType } from './whole-schema.ts'

/** Called for each type, with its fields or values; several times in a row if the type has many of them. */
export type VisitType = (type: GraphQLNamedType, members: readonly Member[]) => void

/** Visits the types of a role's schema, apart from those of introspection. */
export function* walkSchema(role: PlannedSchema, visit: VisitType): Steps<void> {
  const schema = new WholeSchema(role.anew())
  const write: WriteType = (type, members) =>
    type.name.startsWith('__') ? undefined : visitParts(type, schema.fieldsInParts(type) ?? inParts(members.members))
  function* visitParts(type: GraphQLNamedType, parts: Iterable<readonly Member[]>): Steps<void> {
    for (const part of parts) {
      visit(type, part)
      yield
      if (schema.isLargeRoot(type)) yield* schema.eachReached(write)
    }
  }
  yield* schema.each(write)
  yield* schema.unambiguous()
}

/** At least one part. */
function* inParts(members: readonly Member[]): Iterable<readonly Member[]> {
  for (let start = 0; start === 0 || start < members.length; start += membersAtOnce) {
    yield members.slice(start, start + membersAtOnce)
  }
}
