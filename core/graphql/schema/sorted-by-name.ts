// The order of names in introspection, made in steps: a large schema has 100,000 types.

import type { Steps } from '../../concurrency/stepwise.ts'
import { compareNaturally } from '../../names/natural-order.ts'
import { longRun, sortedAtOnce, sortedByInsertion } from '../tuning.ts'

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

/** The items in the order of their names; those of the same name keep theirs. */
export function* sortedByName<T extends Named>(items: readonly T[]): Steps<T[]> {
  const order = yield* orderOfNames(items.map(({ name }) => name))
  return Array.from(order, (place) => items[place]!)
}

/**
 * The places of names in their order; equal names keep theirs. A merge sort, which can pause. Most names of a schema come
 * in runs that are nearly in order: of two long ones, a search finds the parts that have to be merged.
 */
export function* orderOfNames(names: readonly string[]): Steps<Uint32Array> {
  const count = names.length
  let from = new Uint32Array(count)
  let to = new Uint32Array(count)
  for (let i = 0; i < count; i++) from[i] = i
  let moved = 0
  for (let width = 1; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count)
      const end = Math.min(middle + width, count)
      let left = start
      let right = middle
      let unmerged = end
      if (width >= longRun && middle < end) {
        left = search({ names, from, start, end: middle }, names[from[middle]!]!, 1)
        unmerged = search({ names, from, start: middle, end }, names[from[middle - 1]!]!, 0)
      }
      for (let i = start; i < left; i++) to[i] = from[i]!
      for (let i = left; i < unmerged; i++) {
        const isLeft = left < middle && (right === unmerged || !isBefore(names[from[right]!]!, names[from[left]!]!))
        to[i] = from[isLeft ? left++ : right++]!
        if (++moved % sortedAtOnce === 0) yield
      }
      for (let i = unmerged; i < end; i++) to[i] = from[i]!
    }
    // Names that are only copied do not count as moved.
    yield
    ;[from, to] = [to, from]
  }
  return from
}

const isBefore = (a: string, b: string): boolean => compareNaturally(a, b) < 0

/** Places whose names are in order. */
interface Run {
  readonly names: readonly string[]
  readonly from: Uint32Array
  readonly start: number
  readonly end: number
}

/** The first place of a run whose name is not before another (`least` 0), or behind it (1). */
function search({ names, from, start, end }: Run, name: string, least: 0 | 1): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareNaturally(names[from[middle]!]!, name) < least) low = middle + 1
    else high = middle
  }
  return low
}
