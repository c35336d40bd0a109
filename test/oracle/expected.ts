// The expected answer, as far as it is determined, and its comparison with the actual one.

import { isList, isObject, type Json, type JsonObject, Num } from './json.ts'

/** Rows in order; the order of rows within a group is undetermined. */
export interface ExpectedRows {
  readonly kind: 'rows'
  readonly groups: readonly (readonly Expected[])[]
  readonly offset: number
  readonly limit: number
}

export type Expected =
  /** Text, boolean, null, or a number with these digits. */
  | { readonly kind: 'exactly'; readonly json: string | boolean | null | Num }
  /** A double in any notation; in single precision, with as few digits as distinguish it from its neighbours. */
  | { readonly kind: 'double'; readonly value: number; readonly isSingle?: boolean }
  /** A number that PostgreSQL rounds in its own way. */
  | { readonly kind: 'about'; readonly value: number; readonly tolerance: number }
  /** JSON whose objects have no order. */
  | { readonly kind: 'json'; readonly json: Json }
  /** Members in this order. */
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expected])[] }
  /** Items in this order. */
  | { readonly kind: 'list'; readonly items: readonly Expected[] }
  | ExpectedRows
  | { readonly kind: 'oneOf'; readonly options: readonly Expected[] }

export const exactly = (json: string | boolean | null | Num): Expected => ({ kind: 'exactly', json })

export const sameJson = (json: Json): Expected => ({ kind: 'json', json })

/** The path and kind of the first difference; null when the values match. */
export function difference(expected: Expected, actual: Json | undefined, path = '$'): string | null {
  switch (expected.kind) {
    case 'exactly':
    case 'json':
      return equalJson(expected.json, actual) ? null : mismatch(path, JSON.stringify(expected.json), actual)
    case 'double': {
      const rounded = expected.isSingle ? singleOf(actual) : actual
      return numberDifference(expected.value, 0, rounded, path)
    }
    case 'about':
      return numberDifference(expected.value, expected.tolerance, actual, path)
    case 'object':
      return objectDifference(expected.entries, actual, path)
    case 'list':
      return listDifference(expected.items, actual, path)
    case 'rows':
      return rowsDifference(expected, actual, path)
    case 'oneOf': {
      const differences = expected.options.map((option) => difference(option, actual, path))
      return differences.includes(null) ? null : (differences[0] ?? `${path}: nothing is possible`)
    }
  }
}

const mismatch = (path: string, expected: string, actual: Json | undefined): string =>
  `${path}: expected ${expected}, got ${JSON.stringify(actual)}`

function equalJson(a: Json, b: Json | undefined): boolean {
  if (b === undefined) return false
  if (a instanceof Num) return b instanceof Num && a.text === b.text
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]))
  if (!isObject(a)) return a === b
  const keys = Object.keys(a)
  if (!isObject(b) || Object.keys(b).length !== keys.length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key]!, b[key]))
}

/** A number as single precision holds it. */
const singleOf = (actual: Json | undefined): Json | undefined =>
  actual instanceof Num ? new Num(String(Math.fround(Number(actual.text)))) : actual

function numberDifference(expected: number, tolerance: number, actual: Json | undefined, path: string): string | null {
  if (!Number.isFinite(expected)) return actual === String(expected) ? null : mismatch(path, String(expected), actual)
  const near = actual instanceof Num && Math.abs(Number(actual.text) - expected) <= tolerance
  return near ? null : mismatch(path, String(expected), actual)
}

function objectDifference(
  entries: readonly (readonly [string, Expected])[],
  actual: Json | undefined,
  path: string,
): string | null {
  const keys = entries.map(([key]) => key)
  if (actual === undefined || !isObject(actual)) return mismatch(path, `an object of ${keys.join(', ')}`, actual)
  const actualKeys = Object.keys(actual)
  if (actualKeys.join() !== keys.join()) return mismatch(`${path}: keys`, keys.join(), actualKeys.join())
  for (const [key, value] of entries) {
    const found = difference(value, (actual as JsonObject)[key], `${path}.${key}`)
    if (found !== null) return found
  }
  return null
}

function listDifference(items: readonly Expected[], actual: Json | undefined, path: string): string | null {
  if (actual === undefined || !isList(actual) || actual.length !== items.length) {
    return mismatch(path, `a list of ${items.length}`, actual)
  }
  for (const [i, item] of items.entries()) {
    const found = difference(item, actual[i], `${path}[${i}]`)
    if (found !== null) return found
  }
  return null
}

function rowsDifference(
  { groups, offset, limit }: ExpectedRows,
  actual: Json | undefined,
  path: string,
): string | null {
  if (actual === undefined || !isList(actual)) return mismatch(path, 'a list', actual)
  const total = groups.reduce((sum, group) => sum + group.length, 0)
  const count = Math.max(0, Math.min(limit, total - offset))
  if (actual.length !== count) return `${path}: expected ${count} rows, got ${actual.length}: ${JSON.stringify(actual)}`
  let start = 0
  for (const group of groups) {
    const from = Math.max(0, start - offset)
    const to = Math.min(count, start + group.length - offset)
    start += group.length
    if (to <= from) continue
    const found = groupDifference(group, actual.slice(from, to), `${path}[${from}]`)
    if (found !== null) return found
  }
  return null
}

/** Whether each actual row can be matched with a different row of the group. */
function groupDifference(group: readonly Expected[], actual: readonly Json[], path: string): string | null {
  if (group.length === 1) return difference(group[0]!, actual[0], path)
  // Usually they are in the same order.
  if (group.length === actual.length && group.every((row, i) => difference(row, actual[i], path) === null)) return null
  const possible = actual.map((row) => group.flatMap((expected, i) => (difference(expected, row) === null ? [i] : [])))
  const owner = new Map<number, number>()
  const assign = (row: number, seen: Set<number>): boolean =>
    possible[row]!.some((candidate) => {
      if (seen.has(candidate)) return false
      seen.add(candidate)
      const other = owner.get(candidate)
      if (other !== undefined && !assign(other, seen)) return false
      owner.set(candidate, row)
      return true
    })
  const lonely = actual.findIndex((_, row) => !assign(row, new Set()))
  if (lonely < 0) return null
  const options = group.map(describe).join(' or ')
  return `${path}: of ${group.length} rows in any order, none is left for ${JSON.stringify(actual[lonely])}; they are ${options}`
}

/** Readable text of an expectation. */
export function describe(expected: Expected): string {
  switch (expected.kind) {
    case 'exactly':
    case 'json':
      return JSON.stringify(expected.json)
    case 'double':
      return String(expected.value)
    case 'about':
      return `≈${expected.value}`
    case 'object':
      return `{${expected.entries.map(([key, value]) => `"${key}":${describe(value)}`).join(',')}}`
    case 'list':
      return `[${expected.items.map(describe).join(', ')}]`
    case 'oneOf':
      return `(${expected.options.map(describe).join(' | ')})`
    case 'rows': {
      const { groups, offset, limit } = expected
      const window = offset > 0 || limit < Infinity ? ` offset ${offset} limit ${limit}` : ''
      const text = groups.map((group) =>
        group.length === 1 ? describe(group[0]!) : `any order(${group.map(describe)})`,
      )
      return `[${text.join(', ')}]${window}`
    }
  }
}
