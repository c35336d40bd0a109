// What values of an output type look like, found out once for each type: asking a type what it is costs more than most values.

import { type GraphQLOutputType, isLeafType, isListType, isNonNullType } from 'graphql'

export interface OutputShape {
  readonly isNullable: boolean
  /** The type without its mark that it is not null. */
  readonly type: GraphQLOutputType
  /** Of lists, their items. */
  readonly item: OutputShape | null
  readonly isLeaf: boolean
}

const shapes = new WeakMap<GraphQLOutputType, OutputShape>()

/** What values of a type look like. */
export function shapeOf(type: GraphQLOutputType): OutputShape {
  let shape = shapes.get(type)
  if (!shape) {
    const isNullable = !isNonNullType(type)
    const nullable = isNonNullType(type) ? type.ofType : type
    const item = isListType(nullable) ? shapeOf(nullable.ofType) : null
    shape = { isNullable, type: nullable, item, isLeaf: isLeafType(nullable) }
    shapes.set(type, shape)
  }
  return shape
}
