// The operators of jsonb (PostgreSQL's documentation, 8.14 and 9.16).

import { isList, isObject, type Json, type JsonObject, Num } from './json.ts'
import { compareDecimals, decimal } from './numbers.ts'
import { compareText } from './texts.ts'

/** Null < string < number < boolean < array < object. */
function rank(json: Json): number {
  if (json === null) return 0
  if (typeof json === 'string') return 1
  if (json instanceof Num) return 2
  if (typeof json === 'boolean') return 3
  return isList(json) ? 4 : 5
}

const isScalar = (json: Json): boolean => rank(json) < 4

/** The order of the B-tree. */
export function compareJson(a: Json, b: Json): number {
  // A scalar is stored as an array of one. So only arrays of one rank after it, and an empty array ranks before it.
  if (isScalar(a) && isList(b)) return b.length === 0 ? 1 : -1
  if (isList(a) && isScalar(b)) return a.length === 0 ? -1 : 1
  return compareInside(a, b)
}

function compareInside(a: Json, b: Json): number {
  if (rank(a) !== rank(b)) return Math.sign(rank(a) - rank(b))
  if (typeof a === 'string') return compareText(a, b as string)
  if (a instanceof Num) return compareDecimals(decimal(a.text), decimal((b as Num).text))
  if (typeof a === 'boolean') return Number(a) - Number(b)
  if (a === null) return 0
  return isList(a) ? compareLists(a, b as readonly Json[]) : compareObjects(a as JsonObject, b as JsonObject)
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  if (a.length !== b.length) return Math.sign(a.length - b.length)
  return firstDifference(a.map((item, i) => () => compareInside(item, b[i]!)))
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const [left, right] = [storedKeys(a), storedKeys(b)]
  if (left.length !== right.length) return Math.sign(left.length - right.length)
  const pairs = left.map((key, i) => [key, right[i]!] as const)
  return firstDifference(
    pairs.flatMap(([key, other]) => [() => compareText(key, other), () => compareInside(a[key]!, b[other]!)]),
  )
}

function firstDifference(comparisons: readonly (() => number)[]): number {
  for (const compare of comparisons) {
    const result = compare()
    if (result !== 0) return result
  }
  return 0
}

/** The keys in storage order: shorter ones first. */
const storedKeys = (json: JsonObject): string[] =>
  Object.keys(json).sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b))

/** `@>`. */
export function contains(outer: Json, inner: Json): boolean {
  // An array contains a scalar: the exception to the rule that shapes must match.
  if (isList(outer) && isScalar(inner)) return outer.some((item) => isScalar(item) && compareInside(item, inner) === 0)
  return containsInside(outer, inner)
}

function containsInside(outer: Json, inner: Json): boolean {
  if (rank(outer) !== rank(inner)) return false
  if (isList(inner)) return inner.every((item) => (outer as readonly Json[]).some((own) => containsInside(own, item)))
  if (!isObject(inner)) return compareInside(outer, inner) === 0
  const members = outer as JsonObject
  return Object.entries(inner).every(
    ([key, value]) => Object.hasOwn(members, key) && containsInside(members[key]!, value),
  )
}

/** `?`. */
export function hasKey(json: Json, key: string): boolean {
  if (isObject(json)) return Object.hasOwn(json, key)
  return isList(json) ? json.includes(key) : json === key
}

/** `#>`; undefined when there is nothing at the path. */
export function atPath(json: Json, keys: readonly string[]): Json | undefined {
  let at: Json | undefined = json
  for (const key of keys) {
    if (at === undefined) return undefined
    if (isObject(at)) at = Object.hasOwn(at, key) ? at[key] : undefined
    else at = isList(at) && /^\d+$/.test(key) ? at[Number(key)] : undefined
  }
  return at
}
