// Objects of JSON.

import { isExactNumber, parseExactly } from './json.ts'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object of JSON: neither a list nor a number that keeps its digits. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)

/** The objects of a list. */
export const listOfObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The object of a text; null: the text is not a JSON object. */
export function readObject(text: string): JsonObject | null {
  try {
    const value = parseExactly(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The object with some members changed; a member that is undefined goes. */
export const withMembers = (object: JsonObject | null, members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...object, ...members }).filter(([, value]) => value !== undefined))

/** A text that is the same for equal values, whatever the order of their members. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? ''
