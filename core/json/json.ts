// JSON without loss: numbers beyond double precision keep their digits when parsed and printed.

import { parseDecimal, sameDecimal } from './decimal.ts'
import { type JsonScan, scanJson } from './json-scan.ts'

/** A number with its original text; `JSON.stringify` prints the same digits. */
export interface RawNumber {
  readonly rawJSON: string
}

declare global {
  interface JSON {
    /** A number that `JSON.stringify` prints with exactly this text. */
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
  }
}

/** The names that error messages use for the types of JSON. */
export type JsonType = 'Object' | 'Array' | 'String' | 'Number' | 'Boolean' | 'Null'

/** Whether a parsed value is a number that is kept as its text. */
export const isRawNumber = (value: unknown): value is RawNumber => JSON.isRawJSON(value)

/** The JSON type of a parsed value. */
export function jsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return 'Null'
  if (Array.isArray(value)) return 'Array'
  if (typeof value === 'object') return isRawNumber(value) ? 'Number' : 'Object'
  if (typeof value === 'string') return 'String'
  return typeof value === 'boolean' ? 'Boolean' : 'Number'
}

/** The name of a JavaScript value that JSON lacks, such as `NaN` and `a bigint`; null for other values. */
export function beyondJson(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : String(value)
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    default:
      return null
  }
}

/**
 * Which numbers stay texts. `precise`: those that a double cannot hold. `lossless`: also those that would be spelled
 * differently, such as `1.0` and `1e3`.
 */
export type NumberMode = 'precise' | 'lossless'

/**
 * Parses JSON, as text or UTF-8. Numbers that would lose something are kept as text. Throws the errors of `JSON.parse`.
 */
export const parseJson = (json: string | Buffer, mode: NumberMode): unknown =>
  typeof json === 'string'
    ? parseScanned(json, scanJson(Buffer.from(json)), mode)
    : parseScanned(json.toString(), scanJson(json), mode)

/** As {@link parseJson}, for the members of an object without its braces. */
export const parseMembers = (members: string | Buffer, mode: NumberMode): unknown =>
  parseScanned(`{${members}}`, scanJson(typeof members === 'string' ? Buffer.from(members) : members), mode)

/** As {@link parseJson}, for a text that is already scanned. */
export function parseScanned(text: string, { mayRound, mayRespell }: JsonScan, mode: NumberMode): unknown {
  if (!(mode === 'lossless' ? mayRespell : mayRound)) return JSON.parse(text)
  const survives = mode === 'lossless' ? isPrintedAlike : isHeldExactly
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !survives(source, value) ? JSON.rawJSON(source) : value,
  )
}

const isPrintedAlike = (source: string, value: number): boolean => String(value) === source

function isHeldExactly(source: string, value: number): boolean {
  if (isPrintedAlike(source, value)) return true
  const printed = parseDecimal(String(value))
  return printed !== null && sameDecimal(parseDecimal(source)!, printed)
}

/** Whether two parsed values are the same JSON; the order of keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => sameJson(item, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(memberOf(a, key), memberOf(b, key)))
}

/** Whether a value is empty: null, or a list or object of empty values. */
export function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true
  return typeof value === 'object' && Object.values(value).every(saysNothing)
}

/** Whether lists and objects of a parsed value are nested deeper than `levels`. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1))
  for (const key in value) if (isDeeper(memberOf(value, key), levels - 1)) return true
  return false
}

/** Whether a parsed value holds more lists, objects, members and elements than `most`. */
export function hasMoreValues(value: unknown, most: number): boolean {
  let left = most
  const exceeds = (inner: unknown): boolean => {
    if (--left < 0) return true
    if (typeof inner !== 'object' || inner === null) return false
    if (Array.isArray(inner)) return inner.some(exceeds)
    for (const key in inner) if (exceeds(memberOf(inner, key))) return true
    return false
  }
  return exceeds(value)
}

/** Freezes a parsed value recursively; a frozen value is assumed to be frozen throughout. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  if (Array.isArray(value)) for (const item of value) deepFreeze(item)
  else for (const key of Object.keys(value)) deepFreeze(memberOf(value, key))
  return value
}

/** A member of an object of any type; undefined if it is missing. */
export const memberOf = (object: object, key: string): unknown => Reflect.get(object, key)

/** Whether a JSON value is an object. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> => jsonType(value) === 'Object'
