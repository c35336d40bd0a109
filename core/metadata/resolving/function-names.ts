// The database functions that the metadata refers to.

import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import { listChange } from '../document/list-change.ts'
import { facetEntries } from '../slices/facet-format.ts'
import { type MetadataRegistry, sliceValue } from '../slices/registry.ts'

/** The functions that a document's entries refer to, each once; `previous` is a document that differs in few of them. */
export function functionNames(
  registry: MetadataRegistry,
  document: MetadataDocument,
  previous: MetadataDocument | null,
): QualifiedName[] {
  const inSlices = registry.slices.flatMap((slice) => slice.functionsOf?.(sliceValue(document, slice.key)) ?? [])
  const all = [...inSlices, ...namesInTables(registry, document.tables, previous?.tables ?? [])]
  return [...new Map(all.map((name) => [nameKey(name), name])).values()]
}

const namesByList = new WeakMap<readonly TableEntry[], readonly QualifiedName[]>()

/** The names in a frozen list of entries. Entries that the previous list holds too are searched only if others differ. */
function namesInTables(
  registry: MetadataRegistry,
  tables: readonly TableEntry[],
  previous: readonly TableEntry[],
): readonly QualifiedName[] {
  const before = namesByList.get(previous)
  const { gone, added } = listChange(previous, tables)
  const isUnaffected = before && search(registry, [...gone, ...added]).length === 0
  const names = isUnaffected ? before : search(registry, tables)
  namesByList.set(tables, names)
  return names
}

function search(registry: MetadataRegistry, entries: readonly TableEntry[]): QualifiedName[] {
  const facets = registry.facets.filter(({ functionsOf }) => functionsOf !== undefined)
  return entries.flatMap((entry) =>
    facets.flatMap((facet) => facetEntries(entry, facet).flatMap((each) => facet.functionsOf?.(each) ?? [])),
  )
}
