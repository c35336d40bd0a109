// JSON values as templates see them. Numbers may be raw texts, so that they keep all digits.

import { isJsonObject, isRawNumber, jsonType } from '../../../sdk/services.ts'

export const isNumber = (value: unknown): boolean => jsonType(value) === 'Number'

export const numberOf = (value: unknown): number => Number(isRawNumber(value) ? value.rawJSON : value)

/** Whether two values are the same JSON; the order of keys does not count. */
export function equal(a: unknown, b: unknown): boolean {
  if (isNumber(a) && isNumber(b)) return JSON.stringify(a) === JSON.stringify(b) || numberOf(a) === numberOf(b)
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]))
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** The order of two values; null if they have none. */
export function compare(a: unknown, b: unknown): number | null {
  if (isNumber(a) && isNumber(b)) return numberOf(a) - numberOf(b)
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return null
}

/** The text of a value within a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The number of characters of a value as JSON, roughly; at most a little more than `most`, however large it is. */
export function jsonSize(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 8
  let size = 2
  const members = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, item] of members) {
    size += (typeof key === 'string' ? key.length + 4 : 1) + jsonSize(item, most - size)
    if (size > most) break
  }
  return size
}
