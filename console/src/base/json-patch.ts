// The patch that makes one JSON value of another, after RFC 6902. It applies only to values with the same old parts.

import { isExactNumber } from './json.ts'

/** An operation of a patch. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test'
  /** A JSON Pointer. */
  readonly path: string
  readonly value?: unknown
}

/** The changes between two values. */
export interface JsonPatch {
  /** First the tests of the old parts, then the changes. */
  readonly operations: readonly PatchOperation[]
  /** Members that the whole value must not have yet. No operation tests that. */
  readonly absent: readonly string[]
}

type Parent = Readonly<Record<string, unknown>> | readonly unknown[]

const isParent = (value: unknown): value is Parent =>
  typeof value === 'object' && value !== null && !isExactNumber(value)

const isSameKind = (one: unknown, other: unknown): boolean =>
  isParent(one) && isParent(other) && Array.isArray(one) === Array.isArray(other)

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (isExactNumber(one) && isExactNumber(other)) return one.rawJSON === other.rawJSON
  if (!isParent(one) || !isParent(other) || !isSameKind(one, other)) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
}

const below = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The patch between two values; null where it has more operations than that. */
export function patchBetween(before: unknown, after: unknown, most: number): JsonPatch | null {
  const comparison = new Comparison(most)
  comparison.compare('', before, after, false)
  const { tests, changes, absent } = comparison
  const operations = [...tests].map(([path, value]): PatchOperation => ({ op: 'test', path, value }))
  return operations.length + changes.length > most ? null : { operations: [...operations, ...changes], absent }
}

class Comparison {
  /** Old parts by their paths. */
  readonly tests = new Map<string, unknown>()
  readonly changes: PatchOperation[] = []
  readonly absent: string[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** `isTested`: a test of a part around the place says that it is as before. */
  compare(path: string, before: unknown, after: unknown, isTested: boolean): void {
    if (this.changes.length > this.#most || isSame(before, after)) return
    if (Array.isArray(before) && Array.isArray(after)) this.#compareLists(path, before, after, isTested)
    else if (isSameKind(before, after)) this.#compareObjects(path, before as object, after as object, isTested)
    else {
      if (!isTested) this.tests.set(path, before)
      this.changes.push({ op: 'replace', path, value: after })
    }
  }

  #compareObjects(path: string, before: object, after: object, isTested: boolean): void {
    const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
    const added = [...right].filter(([key]) => !left.has(key))
    // A member that is not there cannot be tested: the object is.
    const isWhole = added.length > 0 && !isTested && path !== ''
    if (isWhole) this.tests.set(path, before)
    if (path === '' && !isTested) this.absent.push(...added.map(([key]) => key))
    for (const [key, value] of left) {
      const place = below(path, key)
      if (right.has(key)) this.compare(place, value, right.get(key), isTested || isWhole)
      else this.#remove(place, value, isTested || isWhole)
    }
    for (const [key, value] of added) this.changes.push({ op: 'add', path: below(path, key), value })
  }

  /** Elements are tested whole: others could have moved them. */
  #compareLists(path: string, before: readonly unknown[], after: readonly unknown[], isTested: boolean): void {
    const shorter = Math.min(before.length, after.length)
    let start = 0
    while (start < shorter && isSame(before[start], after[start])) start += 1
    let same = 0
    while (same < shorter - start && isSame(before.at(-1 - same), after.at(-1 - same))) same += 1
    const end = shorter - same
    for (let i = start; i < end && this.changes.length <= this.#most; i += 1) {
      if (isSame(before[i], after[i])) continue
      if (!isTested) this.tests.set(below(path, i), before[i])
      this.compare(below(path, i), before[i], after[i], true)
    }
    for (let i = before.length - same - 1; i >= end && this.changes.length <= this.#most; i -= 1) {
      this.#remove(below(path, i), before[i], isTested)
    }
    const inserted = after.slice(end, after.length - same)
    if (inserted.length > 0 && !isTested) this.#testAround(path, before, end)
    for (const [i, value] of inserted.entries()) {
      this.changes.push({ op: 'add', path: below(path, end + i), value })
    }
  }

  /** The elements between which others are inserted. */
  #testAround(path: string, before: readonly unknown[], at: number): void {
    if (before.length === 0) this.tests.set(path, before)
    for (const i of [at - 1, at]) if (i in before) this.tests.set(below(path, i), before[i])
  }

  #remove(path: string, before: unknown, isTested: boolean): void {
    if (!isTested) this.tests.set(path, before)
    this.changes.push({ op: 'remove', path })
  }
}
