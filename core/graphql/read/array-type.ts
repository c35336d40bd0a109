// The type of PostgreSQL's arrays in interface 2.

import { GraphQLList, GraphQLNonNull, type GraphQLScalarType } from 'graphql'
import type { Codec } from '../../database/sql/param.ts'

/**
 * A list of the elements' scalar. Unlike other lists it is read whole, by one codec: a value may have several dimensions,
 * or be PostgreSQL's text of an array.
 */
export class ArrayType extends GraphQLList<GraphQLNonNull<GraphQLScalarType>> {
  readonly codec: Codec

  constructor(element: GraphQLScalarType, codec: Codec) {
    super(new GraphQLNonNull(element))
    this.codec = codec
  }

  get element(): GraphQLScalarType {
    return this.ofType.ofType
  }
}
