// The codecs of scalars.

import type { GraphQLNamedInputType } from 'graphql'
import { builtInType } from '../../catalog/types.ts'
import { codecFor, idCodec } from '../../compiler/types/codecs.ts'
import type { Codec } from '../../database/sql/param.ts'
import { ArrayType } from './array-type.ts'

/** GraphQL's own scalars, which plugins use unchanged. */
export const standardCodecs: ReadonlyMap<string, Codec> = new Map([
  ['Int', codecFor(builtInType('int4'))],
  ['Float', codecFor(builtInType('float4'))],
  ['String', codecFor(builtInType('text'))],
  ['Boolean', codecFor(builtInType('bool'))],
  ['ID', idCodec],
])

/** The codec of a scalar, of an array, or of an enum that has one. */
export const codecOf = (type: GraphQLNamedInputType | ArrayType): Codec | undefined =>
  type instanceof ArrayType
    ? type.codec
    : ((type.extensions as { readonly codec?: Codec }).codec ?? standardCodecs.get(type.name))

declare module 'graphql' {
  interface GraphQLScalarTypeExtensions {
    codec?: Codec
  }
}
