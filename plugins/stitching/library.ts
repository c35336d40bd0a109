// The stitching library. It is loaded when the first stitched schema is resolved, so that servers without one do not pay for it.

import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { GraphQLSchema } from 'graphql'
import { badRequest, messageOf } from '../../sdk/index.ts'

/** The exports of the library. */
type Library = typeof import('@graphql-tools/stitch')

/** A member in the form of the library. */
export type SubschemaConfig = Exclude<
  NonNullable<Parameters<Library['stitchSchemas']>[0]['subschemas']>[number],
  GraphQLSchema
>

type Directives = ReturnType<typeof import('@graphql-tools/stitching-directives')['stitchingDirectives']>

let loaded: Library | undefined
let loadedDirectives: Directives | undefined

/** The library. Resolving is synchronous, so it cannot be imported. */
export function library(): Library {
  loaded ??= loadLibrary('@graphql-tools/stitch') as Library
  return loaded
}

/** The functions for stitching directives, which are loaded with the first member that has some. */
export function directives(): Directives {
  if (loadedDirectives) return loadedDirectives
  const { stitchingDirectives } = loadLibrary('@graphql-tools/stitching-directives') as {
    stitchingDirectives: () => Directives
  }
  loadedDirectives = stitchingDirectives()
  return loadedDirectives
}

/** Loads a package of the library. Where that fails, the stitched schema is inconsistent, and all else is served. */
export function loadLibrary(name: string, from?: string): unknown {
  try {
    return loadWithOwnGraphql(name, from)
  } catch (error) {
    throw badRequest(
      'remote-schema-error',
      `the package "${name}" cannot be loaded: ${messageOf(error).split('\n')[0]}`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Loads a package whose `graphql` is Trellis's. Where the project has another version of it, npm places the package beside that
 * one, and its modules would refuse Trellis's types. Then it gets instances of its modules of its own: those of the project's
 * code keep theirs. `from` is the module whose packages are meant.
 */
export function loadWithOwnGraphql(name: string, from = import.meta.url): unknown {
  const load = createRequire(from)
  const own = createRequire(import.meta.url).resolve('graphql')
  const other = createRequire(load.resolve(name)).resolve('graphql')
  if (other === own) return load(name)
  const { cache } = load
  const others = { ...cache }
  const url = pathToFileURL(own).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'graphql' ? { url, shortCircuit: true } : next(specifier, context),
  })
  try {
    // Node resolves a name in a directory only once, as long as the module is in the cache.
    for (const file of Object.keys(cache)) if (file === other || isOfLibrary(file)) delete cache[file]
    return load(name)
  } finally {
    hooks.deregister()
    for (const file of Object.keys(cache)) delete cache[file]
    Object.assign(cache, others)
  }
}

/** Whether a file is of the library's packages, all of which read `graphql`. */
const isOfLibrary = (file: string): boolean => /[\\/]node_modules[\\/]@graphql-tools[\\/]/.test(file)
