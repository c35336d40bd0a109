// The stitching library, which is loaded when the first stitched schema is resolved: nobody else pays for it.

import { createRequire } from 'node:module'

type Library = typeof import('@graphql-tools/stitch')

let loaded: Library | undefined

/** The library. Resolving is synchronous, so it cannot be imported. */
export function library(): Library {
  loaded ??= createRequire(import.meta.url)('@graphql-tools/stitch') as Library
  return loaded
}
