// JSON values as templates see them. Numbers may be raw texts, so that they keep all digits.

import { isJsonObject, isRawNumber, jsonType } from '../../../sdk/services.ts'
import { manyMembers, memberCost } from '../tuning.ts'

/** Counts the characters that a comparison reads; throws to end it. */
export type Count = (characters: number) => void

export const isNumber = (value: unknown): boolean => jsonType(value) === 'Number'

export const numberOf = (value: unknown): number => Number(isRawNumber(value) ? value.rawJSON : value)

/** Whether two values are the same JSON; the order of keys does not count. */
export function equal(a: unknown, b: unknown, count: Count): boolean {
  count(Math.min(shallowSize(a), shallowSize(b)))
  if (isNumber(a) && isNumber(b)) return JSON.stringify(a) === JSON.stringify(b) || numberOf(a) === numberOf(b)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => equal(item, b[i], count))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  count(keysSize(keys) + keysSize(others))
  return keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], count))
}

/** The order of two values; null if they have none. */
export function compare(a: unknown, b: unknown, count: Count): number | null {
  count(Math.min(shallowSize(a), shallowSize(b)))
  if (isNumber(a) && isNumber(b)) return numberOf(a) - numberOf(b)
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return null
}

/** The text of a value within a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The number of characters of a value as JSON, roughly; at most a little more than `most`, however large it is. */
export function jsonSize(value: unknown, most: number): number {
  let size = shallowSize(value)
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + jsonSize(item, most - size)
      if (size > most) break
    }
  } else if (isJsonObject(value)) {
    const keys = Object.keys(value)
    size += keysSize(keys)
    for (const key of keys) {
      if (size > most) break
      size += key.length + jsonSize(value[key], most - size)
    }
  }
  return size
}

/** The characters of a text or number, or the brackets of a list or object. */
function shallowSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  return isRawNumber(value) ? value.rawJSON.length : 8
}

const keysSize = (keys: readonly string[]): number => keys.length * (keys.length > manyMembers ? memberCost : 4)
