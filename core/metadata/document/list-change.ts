// The difference between two generations of a list of frozen entries. Most edits change a few entries of thousands, so
// the parts that both lists begin and end with are passed over by identity.

import { rememberedSize } from '../tuning.ts'

/** Entries that only one of two lists holds, compared by identity. */
export interface ListChange<T> {
  readonly gone: readonly T[]
  readonly added: readonly T[]
}

const nothing: ListChange<never> = { gone: [], added: [] }

interface KnownChange {
  /** Weak: a generation must not keep the ones before it. */
  readonly previous: WeakRef<object>
  readonly change: unknown
}

/** The last small change to a frozen list or a map: the steps of one edit ask for the same change. */
const knownChanges = new WeakMap<object, KnownChange>()

function remembered<C>(previous: object, next: object, compute: () => C, sizeOf: (change: C) => number): C {
  const known = knownChanges.get(next)
  if (known?.previous.deref() === previous) return known.change as C
  const change = compute()
  if (sizeOf(change) <= rememberedSize) knownChanges.set(next, { previous: new WeakRef(previous), change })
  return change
}

/** The difference between two lists that no longer change. */
export const listChange = <T>(previous: readonly T[], next: readonly T[]): ListChange<T> =>
  previous === next
    ? nothing
    : remembered(
        previous,
        next,
        () => compareLists(previous, next),
        ({ gone, added }) => gone.length + added.length,
      )

function compareLists<T>(previous: readonly T[], next: readonly T[]): ListChange<T> {
  const { start, end } = sharedEnds(previous, next)
  const before = previous.slice(start, previous.length - end)
  const after = next.slice(start, next.length - end)
  const had = new Set(before)
  const added = after.filter((entry) => !had.has(entry))
  // A document that replaces all shares no entry.
  if (added.length === after.length) return { gone: before, added }
  const has = new Set(after)
  return { gone: before.filter((entry) => !has.has(entry)), added }
}

/** The number of entries that two lists have in common at their start, and after that at their end. */
export function sharedEnds(
  a: readonly unknown[],
  b: readonly unknown[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start++
  let end = 0
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return { start, end }
}

const none: ReadonlySet<string> = new Set()

/** The keys whose values differ between two maps that no longer change, including keys that only one of them has. */
export function changedKeys<T>(
  before: ReadonlyMap<string, T> | undefined,
  after: ReadonlyMap<string, T>,
): ReadonlySet<string> {
  if (before === after) return none
  if (!before) return new Set(after.keys())
  return remembered(
    before,
    after,
    () => compareMaps(before, after),
    ({ size }) => size,
  )
}

function compareMaps<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlySet<string> {
  const changed = new Set<string>()
  for (const [key, value] of after) if (before.get(key) !== value) changed.add(key)
  for (const key of before.keys()) if (!after.has(key)) changed.add(key)
  return changed
}

/** A copy of a map with other values under keys that it has. */
export function withValues<T>(map: ReadonlyMap<string, T>, values: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  const copy = new Map(map)
  for (const [key, value] of values) copy.set(key, value)
  if (values.size <= rememberedSize) {
    knownChanges.set(copy, { previous: new WeakRef(map), change: new Set(values.keys()) })
  }
  return copy
}
