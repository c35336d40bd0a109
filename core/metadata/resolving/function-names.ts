// The database functions that the metadata refers to.

import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { MetadataDocument } from '../document/document.ts'
import { facetEntries } from '../slices/facet-format.ts'
import { type MetadataRegistry, sliceValue } from '../slices/registry.ts'

/** The functions that a document's entries refer to, each once. */
export function functionNames(registry: MetadataRegistry, document: MetadataDocument): QualifiedName[] {
  const names = new Map<string, QualifiedName>()
  const add = (found: readonly QualifiedName[] = []) => {
    for (const name of found) names.set(nameKey(name), name)
  }
  for (const slice of registry.slices) add(slice.functionsOf?.(sliceValue(document, slice.key)))
  const facets = registry.facets.filter(({ functionsOf }) => functionsOf !== undefined)
  for (const entry of document.tables) {
    for (const facet of facets) {
      for (const each of facetEntries(entry, facet)) add(facet.functionsOf?.(each))
    }
  }
  return [...names.values()]
}
