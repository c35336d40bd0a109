// The order of names in introspection, made in steps: a large schema has 100,000 types.

import type { Steps } from '../../concurrency/stepwise.ts'
import { compareNaturally, naturalKey } from '../../names/natural-order.ts'
import { sortedAtOnce, sortedByInsertion } from '../tuning.ts'

/** A type, a field, an argument or a value. */
export interface Named {
  readonly name: string
}

const byName = (a: Named, b: Named) => compareNaturally(a.name, b.name)

/** A list of few items in the order of their names. Most lists of arguments are so already. */
export function fewByName(items: readonly Named[]): readonly Named[] {
  const { length } = items
  let first = 1
  while (first < length && byName(items[first - 1]!, items[first]!) <= 0) first++
  if (first >= length) return items
  if (length > sortedByInsertion) return items.toSorted(byName)
  const sorted = items.slice()
  // For so few items the engine's sort costs more.
  for (let i = first; i < length; i++) {
    const item = sorted[i]!
    let to = i
    while (to > 0 && byName(sorted[to - 1]!, item) > 0) sorted[to] = sorted[--to]!
    sorted[to] = item
  }
  return sorted
}

interface Keyed<T> {
  readonly key: string
  readonly item: T
}

const byKey = (a: Keyed<unknown>, b: Keyed<unknown>) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

/** The items in the order of their names; those of the same name keep theirs. */
export function* sortedByName<T extends Named>(items: readonly T[]): Steps<T[]> {
  const sorted = yield* sortedBetween(items, 0, items.length)
  return sorted.map(({ item }) => item)
}

function* sortedBetween<T extends Named>(items: readonly T[], start: number, end: number): Steps<Keyed<T>[]> {
  if (end - start <= sortedAtOnce) {
    const keyed = items.slice(start, end).map((item) => ({ key: naturalKey(item.name), item }))
    return keyed.sort(byKey)
  }
  const middle = (start + end) >> 1
  const first = yield* sortedBetween(items, start, middle)
  const second = yield* sortedBetween(items, middle, end)
  yield
  // The engine's sort merges sorted runs.
  return first.concat(second).sort(byKey)
}
