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

/** The items in the order of their names; those of the same name keep theirs. */
export function* sortedByName<T extends Named>(items: readonly T[]): Steps<T[]> {
  const keys: string[] = []
  for (const { name } of items) {
    keys.push(naturalKey(name))
    if (keys.length % sortedAtOnce === 0) yield
  }
  const order = yield* orderOf(keys)
  return Array.from(order, (place) => items[place]!)
}

/** The places of texts in their order. A merge sort: it can pause, and the engine's own would call a function for each comparison. */
function* orderOf(texts: readonly string[]): Steps<Uint32Array> {
  const count = texts.length
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
      for (let i = start; i < end; i++) {
        const isRight = left === middle || (right < end && texts[from[right]!]! < texts[from[left]!]!)
        to[i] = from[isRight ? right++ : left++]!
        if (++moved % sortedAtOnce === 0) yield
      }
    }
    ;[from, to] = [to, from]
  }
  return from
}
