// Structural sharing between generations. A part that equals its predecessor becomes the same object, because storing
// and resolving compare by identity.

import { mapSteps, type Steps } from '../../concurrency/stepwise.ts'
import { isJsonObject, sameJson } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
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
  const known = new Set(previous)
  if (next.every((entry) => known.has(entry))) return sameMembers(previous, next) ? previous : next
  const kept = new Set(next)
  const replaced = new Map(previous.filter((entry) => !kept.has(entry)).map((entry) => [key(entry), entry]))
  const shared = yield* mapSteps(next, (entry) => {
    const before = known.has(entry) ? undefined : replaced.get(key(entry))
    return before === undefined ? entry : shareEntry(before, entry)
  })
  return sameMembers(previous, shared) ? previous : Object.freeze(shared)
}

const sameMembers = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

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
