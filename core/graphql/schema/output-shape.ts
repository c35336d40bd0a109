// The shape of an output type's values, computed once per type: inspecting a type costs more than completing most
// values.

import { type GraphQLOutputType, isLeafType, isListType, isNonNullType } from 'graphql'

export interface OutputShape {
  readonly isNullable: boolean
  /** The nullable type. */
  readonly type: GraphQLOutputType
  /** For lists: the shape of their items. */
  readonly item: OutputShape | null
  readonly isLeaf: boolean
}

const shapes = new WeakMap<GraphQLOutputType, OutputShape>()

/** The shape of a type's values. */
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
