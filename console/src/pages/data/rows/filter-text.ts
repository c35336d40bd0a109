// The filter in the address: a sentence, or JSON where a sentence cannot hold it.

import { parseExactly } from '../../../base/json.ts'
import { ruleText } from '../rule-text.ts'
import { type Condition, FilterFault, readFilter } from './filter.ts'

/** Reads a filter; an empty one is null. Throws `FilterFault`. */
export function readFilterText(text: string, types: ReadonlyMap<string, string>): Condition | null {
  if (!text.trimStart().startsWith('{')) return readFilter(text, types)
  try {
    return parseExactly(text) as Condition
  } catch (error) {
    throw new FilterFault((error as Error).message, 0)
  }
}

/** The text of a filter. */
export const filterText = (filter: Condition, types: ReadonlyMap<string, string>): string =>
  ruleText(filter, types) ?? JSON.stringify(filter)

/** The parts of a filter that hold together. */
export function filterParts(filter: Condition | null): readonly Condition[] {
  if (filter === null) return []
  return Object.entries(filter).flatMap<Condition>(([key, value]) =>
    key === '_and' && Array.isArray(value) ? value : [{ [key]: value }],
  )
}

/** The filter of parts. */
export const filterOfParts = (parts: readonly Condition[]): Condition =>
  parts.length === 0 ? {} : parts.length === 1 ? parts[0]! : { _and: parts }
