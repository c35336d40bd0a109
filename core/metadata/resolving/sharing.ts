// Structural sharing between generations. A part that equals its predecessor becomes the same object, because storing
// and resolving compare by identity.

import { mapSteps, type Steps } from '../../concurrency/stepwise.ts'
import { isJsonObject, sameJson } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
import { listChange, sharedEnds } from '../document/list-change.ts'
import { documentOf, type MetadataRegistry, sliceEntries, sliceValue } from '../slices/registry.ts'

/** `next` with every part that equals its counterpart in `previous` replaced by that counterpart. */
export function* shareDocument(
  registry: MetadataRegistry,
  previous: MetadataDocument,
  next: MetadataDocument,
): Steps<MetadataDocument> {
  const shared: [string, unknown][] = []
  for (const { key, entryKey } of registry.slices) {
    const [before, after] = [sliceValue(previous, key), sliceValue(next, key)]
    const value =
      entryKey && before !== after
        ? yield* shareList(sliceEntries(previous, key), sliceEntries(next, key), entryKey)
        : shareValue(before, after)
    shared.push([key, value])
  }
  if (shared.every(([key, value]) => value === sliceValue(previous, key))) return previous
  return Object.freeze(documentOf(shared))
}

/** The previous introspection of an object if it did not change. */
export const shareCatalogPart = <T>(previous: T | undefined, next: T): T =>
  previous !== undefined && sameJson(previous, next) ? previous : next

const shareValue = (previous: unknown, next: unknown): unknown => (sameJson(previous, next) ? previous : next)

function* shareList(
  previous: readonly unknown[],
  next: readonly unknown[],
  key: (entry: unknown) => string,
): Steps<readonly unknown[]> {
  const { gone, added } = listChange(previous, next)
  if (gone.length === 0 || added.length === 0) return isSameList(previous, next) ? previous : next
  const replaced = new Map(gone.map((entry) => [key(entry), entry]))
  const shared = new Map<unknown, unknown>()
  yield* mapSteps(added, (entry) => {
    const before = replaced.get(key(entry))
    if (before !== undefined) shared.set(entry, shareEntry(before, entry))
  })
  const list = next.map((entry) => shared.get(entry) ?? entry)
  return isSameList(previous, list) ? previous : Object.freeze(list)
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && sharedEnds(a, b).start === a.length

/** An entry whose members are shared one by one: tables are large, and resolving records reads per member. */
function shareEntry(previous: unknown, next: unknown): unknown {
  if (sameJson(previous, next)) return previous
  if (!isJsonObject(previous) || !isJsonObject(next)) return next
  const members = Object.entries(next).map(([key, value]) => [
    key,
    Object.hasOwn(previous, key) ? shareValue(previous[key], value) : value,
  ])
  return Object.freeze(Object.fromEntries(members))
}
