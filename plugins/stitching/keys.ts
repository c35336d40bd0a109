// Keys of merged types, and the arguments and answers of the root fields that look them up.

import { GraphQLError } from 'graphql'
import { isRawNumber } from '../../sdk/services.ts'
import type { MergeDefinition } from './schema.ts'

type Row = Readonly<Record<string, unknown>>

/** The fields of a key. */
export const keyFields = ({ key }: MergeDefinition): readonly string[] => (typeof key === 'string' ? [key] : key)

/** The value that an argument takes for a row: that of the field, or an object if the key is a list of fields. */
export function keyOf(merge: MergeDefinition, row: Row): unknown {
  const fields = keyFields(merge)
  return typeof merge.key === 'string' ? row[merge.key] : Object.fromEntries(fields.map((field) => [field, row[field]]))
}

/** The arguments for one row. */
export function argumentsOf(merge: MergeDefinition, row: Row): Record<string, unknown> {
  const { argument } = merge
  if (typeof argument === 'string') return placed({}, argument, keyOf(merge, row))
  return Object.entries(argument).reduce((args, [field, path]) => placed(args, path, row[field]), {})
}

/** The arguments for several keys. */
export const argumentsOfAll = ({ argument }: MergeDefinition, keys: readonly unknown[]): Record<string, unknown> =>
  placed({}, String(argument), keys)

/** The arguments with a value at a path. */
function placed(args: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) return { ...args, [first]: value }
  return { ...args, [first]: placed((args[first] ?? {}) as Record<string, unknown>, rest.join('.'), value) }
}

/** A text that is equal for equal keys. `1` and `"1"` are one key, since servers disagree about identifiers. */
export const keyText = (key: unknown): string =>
  isRawNumber(key)
    ? rawKeyText(key.rawJSON)
    : typeof key === 'object' && key !== null
      ? JSON.stringify(Object.values(key).map(keyText))
      : String(key)

/** `1.0` and `1` are one key; a double would round others. */
const rawKeyText = (raw: string): string => (Number.isSafeInteger(Number(raw)) ? String(Number(raw)) : raw)

/** The values for keys, in their order, from an answer that may leave values out, or have another order. */
export function valuesByKey(
  merge: MergeDefinition,
  results: unknown,
  keys: readonly unknown[],
  place: string,
): (unknown | null)[] {
  if (results === null || results === undefined) return keys.map(() => null)
  const list = Array.isArray(results) ? results : [results]
  const rows = list.filter((each) => typeof each === 'object' && each !== null && !(each instanceof Error)) as Row[]
  const fields = keyFields(merge)
  const hasKeys = rows.every((row) => fields.every((field) => row[field] !== undefined))
  if (hasKeys && rows.length === list.filter((each) => each !== null).length) {
    const found = new Map(rows.map((row) => [keyText(keyOf(merge, row)), row]))
    return keys.map((key) => found.get(keyText(key)) ?? null)
  }
  if (list.length === keys.length) return list
  throw new GraphQLError(`${place} answered with ${list.length} values for ${keys.length} keys`)
}
