// Variables within the literal of a scalar, such as `{ a: $a }` for jsonb: the place has no type that they must fit.

import { Kind } from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import type { OperationInput } from './operation-input.ts'
import { standardCodecs } from './scalar-codecs.ts'

/** The value of a variable within a scalar's literal. Only the variable's own type says whether it may be null. */
export function useWithin(context: OperationInput, name: string): unknown {
  const { type, value } = context.useVariable(name, null)
  if (value !== null || type.kind !== Kind.NON_NULL_TYPE) return value
  if (type.type.kind === Kind.LIST_TYPE) throw validationFailed('expected a list, but found null')
  const named = type.type.name.value
  const expects = Object.hasOwn(standardCodecs, named) ? standardCodecs[named]?.expects : undefined
  throw validationFailed(
    expects ? `expected ${expects} for type "${named}", but found null` : `unexpected null value for type "${named}"`,
  )
}
