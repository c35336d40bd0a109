// Paths in errors, in the style of JSONPath: `$.args.objects[0]['odd key']`.

import { shortName } from './shortened.ts'

/** One step of a path: the name of a member, or an index. */
export type PathKey = string | number

/** A path as a linked list, so that it costs almost nothing until an error is printed. */
export interface Path {
  readonly parent: Path | null
  readonly key: PathKey
}

/** The path one level deeper; `null` is the root `$`. */
export const below = (parent: Path | null, key: PathKey): Path => ({ parent, key })

/** The keys from the root to this path. */
export function pathKeys(path: Path | null): PathKey[] {
  const keys: PathKey[] = []
  for (let at = path; at !== null; at = at.parent) keys.push(at.key)
  return keys.reverse()
}

const plainKey = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** The text of a path in answers. */
export function pathText(keys: readonly PathKey[]): string {
  const parts = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    const name = shortName(key)
    return plainKey.test(key) ? `.${name}` : `['${name}']`
  })
  return `$${parts.join('')}`
}
