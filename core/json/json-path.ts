// Paths into JSON values: `$.a[0]['odd key']`.

import { longestPath } from './tuning.ts'

const step = /\.?(?:\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])|\.?([\p{L}_][\p{L}\p{N}_-]*)/uy

/** The keys of a path, empty for `$`; null if the text is not a path. A path may omit the leading `$`. */
export function parseJsonPath(text: string): string[] | null {
  const keys: string[] = []
  let at = text.startsWith('$') ? 1 : 0
  if (text === '' || text.length > longestPath) return null
  while (at < text.length) {
    step.lastIndex = at
    const match = step.exec(text)
    if (!match) return null
    const [whole, index, single, double, bare] = match
    keys.push(index ?? bare ?? (single ?? double)!.replace(/\\(.)/gsu, '$1'))
    at += whole.length
  }
  return keys
}

/** The value at a path in a parsed value; undefined if there is no such place. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}
