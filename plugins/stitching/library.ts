// The stitching library. It is loaded when the first stitched schema is resolved, so that servers without one do not pay for it.

import { createRequire } from 'node:module'
import type { GraphQLSchema } from 'graphql'

/** The exports of the library. */
type Library = typeof import('@graphql-tools/stitch')

/** A member in the form of the library. */
export type SubschemaConfig = Exclude<
  NonNullable<Parameters<Library['stitchSchemas']>[0]['subschemas']>[number],
  GraphQLSchema
>

type Directives = ReturnType<typeof import('@graphql-tools/stitching-directives')['stitchingDirectives']>

const load = createRequire(import.meta.url)

let loaded: Library | undefined
let loadedDirectives: Directives | undefined

/** The library. Resolving is synchronous, so it cannot be imported. */
export function library(): Library {
  loaded ??= load('@graphql-tools/stitch') as Library
  return loaded
}

/** The functions for stitching directives, which are loaded with the first member that has some. */
export function directives(): Directives {
  if (loadedDirectives) return loadedDirectives
  const { stitchingDirectives } = load('@graphql-tools/stitching-directives') as {
    stitchingDirectives: () => Directives
  }
  loadedDirectives = stitchingDirectives()
  return loadedDirectives
}
