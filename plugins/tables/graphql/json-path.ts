// The `path` argument of json columns: `$.a[0]['odd key']` (graphql-api 5.1).

import { parseFailed } from '../../../core/errors.ts'
import type { Value } from '../../../core/graphql/values.ts'
import { pathKeys } from '../../../core/path.ts'

const step = /\.?(?:\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])|\.?([\p{L}_][\p{L}\p{N}_-]*)/uy

/** The keys of a path; null for `$`, the whole value. */
export function parseJsonPath(value: Value): readonly string[] | null {
  const text = value.string()
  const keys: string[] = []
  let at = text.startsWith('$') ? 1 : 0
  if (at === text.length && at === 1) return null
  while (at < text.length) {
    step.lastIndex = at
    const match = step.exec(text)
    if (!match) throw syntaxError(text, value)
    const [whole, index, single, double, bare] = match
    keys.push(index ?? bare ?? (single ?? double)!.replace(/\\(.)/gsu, '$1'))
    at += whole.length
  }
  if (keys.length === 0) throw syntaxError(text, value)
  return keys
}

function syntaxError(text: string, value: Value) {
  const hint =
    "Accept letters, digits, underscore (_) or hyphen (-) only. Use single quotes enclosed in bracket (['...']) if there is any special character"
  return parseFailed(`parse json path error: ${text}. ${hint}`, pathKeys(value.path))
}
