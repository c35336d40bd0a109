// The `path` argument of json columns: `$.a[0]['odd key']`.

import type { Value } from '../../../../sdk/graphql.ts'
import { pathKeys, validationFailed } from '../../../../sdk/index.ts'
import { parseJsonPath } from '../../../../sdk/services.ts'

/** The keys of a path; null for `$`, the whole value. */
export function readPathArgument(value: Value): readonly string[] | null {
  const text = value.string()
  const keys = parseJsonPath(text)
  if (keys === null) throw syntaxError(text, value)
  return keys.length === 0 ? null : keys
}

function syntaxError(text: string, value: Value) {
  const hint =
    "Accept letters, digits, underscore (_) or hyphen (-) only. Use single quotes enclosed in bracket (['...']) if there is any special character"
  return validationFailed(`parse json path error: ${text}. ${hint}`, pathKeys(value.path))
}
