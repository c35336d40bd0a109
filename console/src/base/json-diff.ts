// The differences of two JSON values, place by place.

import { memberPath } from './json-marks.ts'

/** A place where two values differ. */
export interface Difference {
  /** As `data.album[0].title`. */
  readonly path: string
  /** Undefined: it was not there. */
  readonly before: unknown
  /** Undefined: it is gone. */
  readonly after: unknown
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The places where two values differ, at most so many. */
export function differencesOf(before: unknown, after: unknown, most: number): readonly Difference[] {
  const found: Difference[] = []
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (found.length >= most || Object.is(one, other)) return
    if (!isParent(one) || !isParent(other) || Array.isArray(one) !== Array.isArray(other)) {
      found.push({ path, before: one, after: other })
      return
    }
    const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      compare(memberPath(path, key, Array.isArray(one)), left.get(key), right.get(key))
    }
  }
  compare('', before, after)
  return found
}
