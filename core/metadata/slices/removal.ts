// Removes an object from a draft through its owner.

import { memberOf } from '../../json/json.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import { type ObjectRef, objectKey } from '../document/objects.ts'
import { facetEntries } from './facet-format.ts'
import type { MetadataRegistry } from './registry.ts'
import { findTable } from './slices.ts'

/** Removes an object through the slice or facet that owns it; false when there is no such object. */
export function removeObject(registry: MetadataRegistry, draft: MetadataDocument, object: ObjectRef): boolean {
  if (object.table && removeFromTable(registry, draft, object)) return true
  return registry.slices.some((slice) => slice.remove?.(draft, object) ?? false)
}

function removeFromTable(registry: MetadataRegistry, draft: MetadataDocument, object: ObjectRef): boolean {
  const entry = findTable(draft, object.table!)
  if (!entry) return false
  const key = objectKey(object)
  for (const facet of registry.facets) {
    const entries = facetEntries(entry, facet)
    const index = entries.findIndex((each) => objectKey(facet.describe(entry.table, each).ref) === key)
    if (index < 0) continue
    removeAt(entry, facet.key, index)
    return true
  }
  return false
}

function removeAt(entry: TableEntry, key: string, index: number): void {
  const list = memberOf(entry, key)
  if (!Array.isArray(list) || list.length === 1) Reflect.deleteProperty(entry, key)
  else list.splice(index, 1)
}
