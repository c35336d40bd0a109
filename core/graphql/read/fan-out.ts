// How often a selection may repeat rows. A list of rows below a to-one relationship is answered for each row that has
// it, so each way up and down again multiplies the answer: authors, their books, the authors of these, their books.

import { type GraphQLField, getNamedType, getNullableType, isListType, isObjectType } from 'graphql'

type Definition = GraphQLField<unknown, unknown>

/** The place of a field among lists of rows. */
export interface FanOut {
  readonly isInList: boolean
  /** Whether the same row may stand at this place several times. */
  readonly isRepeated: boolean
  /** The number of lists around it that are repeated with the rows that have them. */
  readonly multiplied: number
}

/** The place of root fields. */
export const noFanOut: FanOut = { isInList: false, isRepeated: false, multiplied: 0 }

/** The place below a field; `parent` is the field around it, null at the root. */
export function fanOutBelow(outer: FanOut, definition: Definition, parent: Definition | null): FanOut {
  if (isListType(getNullableType(definition.type))) {
    return { ...outer, isInList: true, multiplied: outer.multiplied + (outer.isRepeated ? 1 : 0) }
  }
  const isToOne = parent !== null && isOfRows(parent) && isOfRows(definition)
  return isToOne && outer.isInList && !outer.isRepeated ? { ...outer, isRepeated: true } : outer
}

function isOfRows({ type }: Definition): boolean {
  const named = getNamedType(type)
  return isObjectType(named) && named.extensions.table !== undefined
}
