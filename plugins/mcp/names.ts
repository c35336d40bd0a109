// The names of tools: letters, digits, `_` and `-`, unique among the tools of a role.

import { createHash } from 'node:crypto'
import { longestName } from './tuning.ts'

const hashLength = 8

/** A name of the characters that clients take; a name that is too long ends with a digest of the whole. */
export function toolName(...parts: readonly string[]): string {
  const name = parts.join('_').replaceAll(/[^\w-]/g, '_')
  return name.length <= longestName ? name : withDigest(name, parts)
}

const withDigest = (name: string, parts: readonly string[]): string => {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, hashLength)
  return `${name.slice(0, longestName - hashLength - 1)}_${digest}`
}

/** Something with the parts of its name. */
export interface Named {
  readonly parts: readonly string[]
}

/** Gives each a name. Those that would share one, or take a reserved one, get a digest each. */
export function namesOf<T extends Named>(all: readonly T[], reserved: ReadonlySet<string>): ReadonlyMap<string, T> {
  const count = new Map<string, number>()
  for (const { parts } of all) count.set(toolName(...parts), (count.get(toolName(...parts)) ?? 0) + 1)
  const named = all.map((each): [string, T] => {
    const name = toolName(...each.parts)
    return [count.get(name) === 1 && !reserved.has(name) ? name : withDigest(name, each.parts), each]
  })
  return new Map(named)
}
