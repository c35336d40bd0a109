// The stitching library, which is loaded when the first stitched schema is resolved: nobody else pays for it.

import { createRequire } from 'node:module'

/** The exports of the library. */
export type Library = typeof import('@graphql-tools/stitch')

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
